--- The models of group K, in PyTorch's names: a GPT, a language model of LSTM layers, ResNet-18 and an MLP. peer_models.py has PyTorch's.
-- @module models
local torch, nn = require 'torch', require 'nn'
local F = nn.functional

-- A class without a name in the program's globals: construct(self, ...) creates the parts, forward(self, ...) computes.
local function class(name, construct, forward)
  local made, parent = torch.class('bench.' .. name, 'nn.Module', {})
  function made:__init(...)
    parent.__init(self)
    construct(self, ...)
  end
  made.forward = forward
  return made
end

local Attention = class('Attention', function(self, size, heads)
  self.heads, self.qkv, self.proj = heads, nn.Linear(size, 3 * size), nn.Linear(size, size)
end, function(self, x)
  local n, length, size = x:size(1), x:size(2), x:size(3)
  local function byHeads(part) return part:view(n, length, self.heads, size / self.heads):transpose(2, 3) end
  local q, k, v = unpack(self.qkv(x):split(size, 3))
  local y = F.scaledDotProductAttention(byHeads(q), byHeads(k), byHeads(v), { isCausal = true })
  return self.proj(y:transpose(2, 3):contiguous():view(n, length, size))
end)

local Block = class('Block', function(self, size, heads)
  self.ln1, self.attn, self.ln2 = nn.LayerNorm(size), Attention(size, heads), nn.LayerNorm(size)
  self.mlp = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))
end, function(self, x)
  x = x + self.attn(self.ln1(x))
  return x + self.mlp(self.ln2(x))
end)

local models = {}

--- A GPT with normalisation before attention and linear maps, without dropout: of (vocabulary, length, layers, size, heads).
models.GPT = class('GPT', function(self, vocabulary, length, layers, size, heads)
  self.emb, self.posemb = nn.Embedding(vocabulary, size), nn.Embedding(length, size)
  local blocks = {}
  for i = 1, layers do blocks[i] = Block(size, heads) end
  self.blocks, self.ln, self.head = nn.ModuleList(blocks), nn.LayerNorm(size), nn.Linear(size, vocabulary, false)
  self.positions = torch.range(1, length):long()
end, function(self, tokens)
  local x = self.emb(tokens) + self.posemb(self.positions)
  for _, block in self.blocks:iter() do x = block(x) end
  return self.head(self.ln(x)):flatten(1, 2)
end)

--- A language model: embedding, LSTM layers, linear map to the vocabulary.
models.LanguageModel = class('LanguageModel', function(self, vocabulary, size, layers)
  self.emb, self.rnn, self.out = nn.Embedding(vocabulary, size), nn.LSTM(size, size, layers), nn.Linear(size, vocabulary)
end, function(self, tokens)
  return self.out((self.rnn(self.emb(tokens))):flatten(1, 2))
end)

local function conv(from, to, size, stride)
  return nn.Conv2d(from, to, size, { stride = stride, padding = (size - 1) / 2, bias = false })
end

local ResBlock = class('ResBlock', function(self, from, to, stride)
  self.c1, self.b1 = conv(from, to, 3, stride), nn.BatchNorm2d(to)
  self.c2, self.b2 = conv(to, to, 3, 1), nn.BatchNorm2d(to)
  self.short = stride > 1 and nn.Sequential(conv(from, to, 1, stride), nn.BatchNorm2d(to)) or nn.Identity()
end, function(self, x)
  return F.relu(self.b2(self.c2(F.relu(self.b1(self.c1(x))))) + self.short(x))
end)

--- ResNet-18 for pictures of 32x32.
function models.resnet18()
  local net = nn.Sequential(conv(3, 64, 3, 1), nn.BatchNorm2d(64), nn.ReLU())
  local from = 64
  for stage, to in ipairs { 64, 128, 256, 512 } do
    net:add(ResBlock(from, to, stage == 1 and 1 or 2)):add(ResBlock(to, to, 1))
    from = to
  end
  return net:add(nn.AdaptiveAvgPool2d(1)):add(nn.Flatten()):add(nn.Linear(512, 10))
end

--- 784-512-512-10.
function models.mlp()
  return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
end

-- n numbers between 0 and 1, the same in every implementation, as float64.
local function numbers(n, seed)
  local x = torch.sin(torch.range(0, n - 1):double():mul(12.9898):add(seed)):mul(43758.5453)
  return x:csub(torch.floor(x))
end

--- Sets the parameters by a formula that depends on their names: matrices are uniform with the deviation 0.5 / sqrt(inputs), embeddings
-- with 0.1; vectors are 1 for weights of norms and 0 for biases.
-- @tparam nn.Module net
-- @treturn nn.Module net
function models.initialise(net)
  for name, parameter in net:namedParameters() do
    if parameter:dim() == 1 then
      parameter:fill(name:find 'bias' and 0 or 1)
    else
      local n, seed = parameter:nElement(), 0
      for i = 1, #name do seed = seed + name:byte(i) end
      local bound = math.sqrt(3) * (name:find 'emb' and 0.1 or 0.5 / math.sqrt(n / parameter:size(1)))
      parameter:copy(numbers(n, seed):mul(2 * bound):add(-bound):view(parameter:size()))
    end
  end
  return net
end

--- Returns numbers from -1 to 1, of the sizes.
function models.input(...) return numbers(torch.FloatTensor(...):nElement(), 1):mul(2):add(-1):float():view(...) end

--- Returns integers from 1 to count, of the sizes, as class labels or tokens.
function models.integers(count, seed, ...)
  return numbers(torch.FloatTensor(...):nElement(), seed):mul(count):floor():add(1):long():view(...)
end

return models
