--[[
A character model: an LSTM of plain modules, unrolled by clones that share their weights.
What it learns is known: a text of period 7, whose next character follows from the last three.
]]
require 'torch'
require 'nn'
require 'optim'
require 'lfs'

cmd = torch.CmdLine()
cmd:text()
cmd:text('Train a character-level language model')
cmd:text()
cmd:text('Options')
cmd:option('-rnn_size', 12, 'size of LSTM internal state')
cmd:option('-num_layers', 2, 'number of layers in the LSTM')
cmd:option('-learning_rate', 2e-2, 'learning rate')
cmd:option('-decay_rate', 0.95, 'decay rate for rmsprop')
cmd:option('-dropout', 0, 'dropout for regularization')
cmd:option('-seq_length', 7, 'number of timesteps to unroll for')
cmd:option('-batch_size', 5, 'number of sequences to train on in parallel')
cmd:option('-steps', 150, 'number of updates')
cmd:option('-grad_clip', 5, 'clip gradients at this value')
cmd:option('-seed', 123, 'random number generator seed')
cmd:option('-checkpoint_dir', paths.tmpname() .. '_cv', 'where checkpoints go')
cmd:option('-use_ss', false, 'not used')
cmd:text()
opt = cmd:parse(arg or {})
torch.manualSeed(opt.seed)
torch.setnumthreads(1)
torch.setdefaulttensortype('torch.FloatTensor')
lfs.mkdir(opt.checkpoint_dir)

-- data ---------------------------------------------------------------------------------------------------------------
local text = string.rep('abcabd ', 60)
local vocab, ivocab, nvocab = {}, {}, 0
for char in text:gmatch '.' do
  if not vocab[char] then nvocab = nvocab + 1; vocab[char] = nvocab; ivocab[nvocab] = char end
end
local data = torch.ByteTensor(#text)
for i = 1, #text do data[i] = vocab[text:sub(i, i)] end
assert(nvocab == 5 and data:max() == 5)

local per = math.floor(data:size(1) / opt.batch_size)
local streams = data:sub(1, per * opt.batch_size):view(opt.batch_size, -1)
local position = 1
local function next_batch()
  if position + opt.seq_length > streams:size(2) then position = 1 end
  local x = streams:sub(1, -1, position, position + opt.seq_length - 1):t():contiguous()
  local y = streams[{ {}, { position + 1, position + opt.seq_length } }]:transpose(1, 2):contiguous()
  position = position + opt.seq_length
  return x, y
end

-- the model ----------------------------------------------------------------------------------------------------------
local OneHot, parent = torch.class('OneHot', 'nn.Module')

function OneHot:__init(outputSize)
  parent.__init(self)
  self.outputSize = outputSize
  self._eye = torch.eye(outputSize)
end

function OneHot:updateOutput(input)
  self.output:resize(input:size(1), self.outputSize):zero()
  if self._eye == nil then self._eye = torch.eye(self.outputSize) end
  self._eye = self._eye:float()
  local longInput = input:long()
  self.output:copy(self._eye:index(1, longInput))
  return self.output
end

-- {x, c, h} -> {c, h}
local function lstm_layer(input_size, rnn_size)
  local sums = nn.Sequential()
    :add(nn.ParallelTable():add(nn.Linear(input_size, 4 * rnn_size)):add(nn.Linear(rnn_size, 4 * rnn_size)))
    :add(nn.CAddTable())
    :add(nn.Reshape(4, rnn_size))
    :add(nn.SplitTable(2))                            -- in, forget, out, transform
    :add(nn.ParallelTable():add(nn.Sigmoid()):add(nn.Sigmoid()):add(nn.Sigmoid()):add(nn.Tanh()))
  local x_h = nn.ConcatTable():add(nn.SelectTable(1)):add(nn.SelectTable(3))
  local gates = nn.Sequential():add(x_h):add(sums)
  local all = nn.Sequential():add(nn.ConcatTable():add(gates):add(nn.SelectTable(2)))      -- {{i, f, o, g}, c}
  local pick = function(k) return nn.Sequential():add(nn.SelectTable(1)):add(nn.SelectTable(k)) end
  local forget = nn.Sequential():add(nn.ConcatTable():add(pick(2)):add(nn.SelectTable(2))):add(nn.CMulTable())
  local write = nn.Sequential():add(nn.ConcatTable():add(pick(1)):add(pick(4))):add(nn.CMulTable())
  local cell = nn.Sequential():add(nn.ConcatTable():add(forget):add(write)):add(nn.CAddTable())
  all:add(nn.ConcatTable():add(cell):add(pick(3)))                                         -- {c, o}
  local hidden = nn.Sequential()
    :add(nn.ParallelTable():add(nn.Tanh()):add(nn.Identity()))
    :add(nn.CMulTable())
  all:add(nn.ConcatTable():add(nn.SelectTable(1)):add(hidden))
  return all
end

-- {x, c1, h1, c2, h2} -> {c1, h1, c2, h2, log probabilities}, layer by layer
local Stack, stack_parent = torch.class('Stack', 'nn.Container')

function Stack:__init(input_size, rnn_size, num_layers, dropout)
  stack_parent.__init(self)
  self.layers = {}
  self.encode = OneHot(input_size)
  for L = 1, num_layers do
    self.layers[L] = lstm_layer(L == 1 and input_size or rnn_size, rnn_size)
    self:add(self.layers[L])
  end
  self.decode = nn.Sequential():add(nn.Dropout(dropout)):add(nn.Linear(rnn_size, input_size)):add(nn.LogSoftMax())
  self:add(self.decode)
end

function Stack:updateOutput(input)
  local x = self.encode:forward(input[1])
  self.inputs, self.output = {}, {}
  for L, layer in ipairs(self.layers) do
    self.inputs[L] = { x, input[2 * L], input[2 * L + 1] }
    local state = layer:updateOutput(self.inputs[L])
    table.insert(self.output, state[1])
    table.insert(self.output, state[2])
    x = state[2]
  end
  table.insert(self.output, self.decode:updateOutput(x))
  return self.output
end

function Stack:backward(_, gradOutput, scale)
  local n = #self.layers
  local dtop = self.decode:backward(self.output[2 * n], gradOutput[#gradOutput], scale)
  self.gradInput = {}
  for L = n, 1, -1 do
    local dh = torch.add(gradOutput[2 * L], dtop)
    local d = self.layers[L]:backward(self.inputs[L], { gradOutput[2 * L - 1], dh }, scale)
    dtop = d[1]
    self.gradInput[2 * L], self.gradInput[2 * L + 1] = d[2]:clone(), d[3]:clone()
  end
  return self.gradInput
end

function clone_many_times(net, T)
  local clones = {}
  local params, gradParams
  if net.parameters then
    params, gradParams = net:parameters()
    if params == nil then params = {} end
  end
  local paramsNoGrad
  if net.parametersNoGrad then paramsNoGrad = net:parametersNoGrad() end
  local mem = torch.MemoryFile('w'):binary()
  mem:writeObject(net)
  for t = 1, T do
    local reader = torch.MemoryFile(mem:storage(), 'r'):binary()
    local clone = reader:readObject()
    reader:close()
    if net.parameters then
      local cloneParams, cloneGradParams = clone:parameters()
      for i = 1, #params do
        cloneParams[i]:set(params[i])
        cloneGradParams[i]:set(gradParams[i])
      end
    end
    assert(paramsNoGrad == nil)
    clones[t] = clone
    collectgarbage()
  end
  mem:close()
  return clones
end

protos = { rnn = Stack(nvocab, opt.rnn_size, opt.num_layers, opt.dropout), criterion = nn.ClassNLLCriterion() }
params, grad_params = protos.rnn:getParameters()
params:uniform(-0.08, 0.08)
for _, linear in ipairs((protos.rnn:findModules('nn.Linear'))) do
  if linear.bias:size(1) == 4 * opt.rnn_size then linear.bias[{ { opt.rnn_size + 1, 2 * opt.rnn_size } }]:fill(1) end
end
local h = opt.rnn_size
local expected = 4 * h * (nvocab + h + 2) + 4 * h * (2 * h + 2) + nvocab * (h + 1)
assert(params:nElement() == expected, 'number of parameters in the model: ' .. params:nElement())
clones = {}
for name, proto in pairs(protos) do clones[name] = clone_many_times(proto, opt.seq_length, not proto.parameters) end
assert(torch.pointer(clones.rnn[1]:parameters()[1]:storage()) == torch.pointer(params:storage()))

init_state = {}
for _ = 1, opt.num_layers do
  local h_init = torch.zeros(opt.batch_size, opt.rnn_size)
  table.insert(init_state, h_init:clone())
  table.insert(init_state, h_init:clone())
end

local function clone_list(tensors, zero)
  local out = {}
  for k, v in pairs(tensors) do
    out[k] = v:clone()
    if zero then out[k]:zero() end
  end
  return out
end

-- the loss of a batch, forward and backward through time -----------------------------------------------------------------
local init_state_global = clone_list(init_state)
local fixed_batch
function feval(given)
  if given ~= params then params:copy(given) end
  grad_params:zero()
  local x, y
  if fixed_batch then x, y = unpack(fixed_batch) else x, y = next_batch() end
  local rnn_state = { [0] = init_state_global }
  local predictions, loss = {}, 0
  for t = 1, opt.seq_length do
    clones.rnn[t]:training()
    local lst = clones.rnn[t]:forward { x[t], unpack(rnn_state[t - 1]) }
    rnn_state[t] = {}
    for i = 1, #init_state do table.insert(rnn_state[t], lst[i]) end
    predictions[t] = lst[#lst]
    loss = loss + clones.criterion[t]:forward(predictions[t], y[t])
  end
  loss = loss / opt.seq_length
  local drnn_state = { [opt.seq_length] = clone_list(init_state, true) }
  for t = opt.seq_length, 1, -1 do
    local doutput_t = clones.criterion[t]:backward(predictions[t], y[t]):div(opt.seq_length)
    table.insert(drnn_state[t], doutput_t)
    local dlst = clones.rnn[t]:backward({ x[t], unpack(rnn_state[t - 1]) }, drnn_state[t])
    drnn_state[t - 1] = {}
    for k, v in pairs(dlst) do
      if k > 1 then drnn_state[t - 1][k - 1] = v end
    end
  end
  if not fixed_batch then init_state_global = rnn_state[#rnn_state] end
  grad_params:clamp(-opt.grad_clip, opt.grad_clip)
  return loss, grad_params
end

-- the gradient against differences, at some of the parameters
fixed_batch = { next_batch() }
local _, g = feval(params)
g = g:clone()
local chosen = torch.randperm(params:nElement())
for k = 1, 15 do
  local i = chosen[k]
  local old, eps = params[i], 1e-2
  params[i] = old + eps
  local up = feval(params)
  params[i] = old - eps
  local down = feval(params)
  params[i] = old
  assert(math.abs((up - down) / (2 * eps) - g[i]) < 1e-3, 'gradient of parameter ' .. i)
end
fixed_batch = nil

-- training -------------------------------------------------------------------------------------------------------------
local train_losses = {}
local optim_state = { learningRate = opt.learning_rate, alpha = opt.decay_rate }
local timer = torch.Timer()
for i = 1, opt.steps do
  local time = timer:time().real
  local _, loss = optim.rmsprop(feval, params, optim_state)
  assert(timer:time().real >= time)
  train_losses[i] = loss[1]
  assert(loss[1] == loss[1], 'loss is exploding, aborting.')
  if i % 50 == 0 then
    optim_state.learningRate = optim_state.learningRate * 0.7
    print(string.format('%d/%d, train_loss = %6.4f, grad/param norm = %6.4e', i, opt.steps, loss[1], grad_params:norm() / params:norm()))
    collectgarbage()
  end
end
assert(math.abs(train_losses[1] - math.log(nvocab)) < 0.1, 'an untrained model guesses')
assert(train_losses[#train_losses] < 0.05, 'final loss ' .. train_losses[#train_losses])

-- checkpoint, and sampling from what comes back -----------------------------------------------------------------------------
local savefile = string.format('%s/lm_%s_epoch%.2f_%.4f.t7', opt.checkpoint_dir, 'rnn', 1.5, train_losses[#train_losses])
torch.save(savefile, { protos = protos, opt = opt, train_losses = train_losses, vocab = vocab, i = opt.steps })
local checkpoint = torch.load(savefile)
assert(os.remove(savefile) and lfs.rmdir(opt.checkpoint_dir))
local rnn = checkpoint.protos.rnn
assert(torch.type(rnn) == 'Stack' and checkpoint.opt.rnn_size == opt.rnn_size and checkpoint.vocab.d == vocab.d)
rnn:evaluate()
assert(rnn.layers[1] == rnn.modules[1], 'one module under two names stays one')

local current_state = {}
for L = 1, checkpoint.opt.num_layers * 2 do current_state[L] = torch.zeros(1, opt.rnn_size) end
local out = {}
local function step(char)
  local lst = rnn:forward { char, unpack(current_state) }
  current_state = {}
  for i = 1, #init_state do table.insert(current_state, lst[i]:clone()) end
  return lst[#lst]
end
local prediction
for char in ('abcabd '):rep(2):gmatch '.' do prediction = step(torch.Tensor { vocab[char] }) end
for _ = 1, 28 do
  prediction:div(0.2)                                  -- a low temperature
  local probs = torch.exp(prediction):squeeze()
  probs:div(torch.sum(probs))
  local prev_char = torch.multinomial(probs:float(), 1):resize(1):float()
  table.insert(out, ivocab[prev_char[1]])
  prediction = step(prev_char)
end
io.write(table.concat(out), '\n')
assert(table.concat(out) == ('abcabd '):rep(4))
print('ok')
