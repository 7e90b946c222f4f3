--- Networks of Llama's form: rotated queries and keys, RMS normalisation, gated linear maps, heads that share keys and values.
-- Call `net(ids, options)`: ids (N, T), the tokenizer's numbers plus 1; `options.cache`, an nn.KeyValueCache with the positions before;
-- `options.mask` (N, all positions), 0 for padding. The result are logits (N, T, vocabSize).
-- Source: the paper below, section 2.2; names of parameters as in transformers' LlamaForCausalLM.
-- @module zoo.models.llama
local torch, nn, attention = require 'torch', require 'nn', require 'zoo.attention'

local Layer = torch.class('zoo.LlamaLayer', 'nn.Module', {})
local Llama = torch.class('zoo.Llama', 'nn.Module', {})

Llama.predictsNext = true

local function linear(inputs, outputs) return nn.Linear(inputs, outputs, false) end

function Layer:__init(o, layer)
  local size, groups = o.hiddenSize, o.numKeyValueHeads or o.numAttentionHeads
  local headDim = o.headDim or size / o.numAttentionHeads
  self.layer, self.heads, self.groups, self.ropeTheta = layer, o.numAttentionHeads, groups, o.ropeTheta
  self.self_attn = nn.ModuleDict {
    { 'q_proj', linear(size, o.numAttentionHeads * headDim) }, { 'k_proj', linear(size, groups * headDim) },
    { 'v_proj', linear(size, groups * headDim) }, { 'o_proj', linear(o.numAttentionHeads * headDim, size) },
  }
  self.mlp = nn.ModuleDict {
    { 'gate_proj', linear(size, o.intermediateSize) }, { 'up_proj', linear(size, o.intermediateSize) },
    { 'down_proj', linear(o.intermediateSize, size) },
  }
  self.input_layernorm = nn.RMSNorm(size, o.rmsNormEps)
  self.post_attention_layernorm = nn.RMSNorm(size, o.rmsNormEps)
end

function Layer:forward(x, first, options)
  local parts, normal = self.self_attn, self.input_layernorm(x)
  local function rotated(y, heads)
    return nn.functional.rotaryEmbedding(attention.split(y, heads), first, self.ropeTheta, false)
  end
  local keys, values = attention.remember(options.cache, self.layer, rotated(parts.k_proj(normal), self.groups),
    attention.split(parts.v_proj(normal), self.groups))
  local y = attention.attend(rotated(parts.q_proj(normal), self.heads), keys, values, { isCausal = true, mask = options.mask })
  x = torch.add(x, parts.o_proj(y))
  normal = self.post_attention_layernorm(x)
  y = torch.cmul(nn.functional.silu(self.mlp.gate_proj(normal)), self.mlp.up_proj(normal))
  return torch.add(x, self.mlp.down_proj(y))
end

function Llama:__init(o)
  self.model = nn.ModuleDict {
    { 'embed_tokens', nn.Embedding(o.vocabSize, o.hiddenSize) }, { 'layers', nn.ModuleList() },
    { 'norm', nn.RMSNorm(o.hiddenSize, o.rmsNormEps) },
  }
  for i = 1, o.numHiddenLayers do self.model.layers:append(Layer.new(o, i)) end
  if not o.tieWordEmbeddings then self.lm_head = linear(o.hiddenSize, o.vocabSize) end
  for _, module in ipairs(self:listModules()) do
    if torch.isTypeOf(module, 'nn.Linear') or torch.isTypeOf(module, 'nn.Embedding') then nn.init.normal(module.weight, 0, 0.02) end
  end
end

function Llama:forward(ids, options)
  local first, x = attention.past(options and options.cache), self.model.embed_tokens(ids)
  for _, layer in self.model.layers:iter() do x = layer(x, first, options or {}) end
  x = self.model.norm(x)
  return self.lm_head and self.lm_head(x) or nn.functional.linear(x, self.model.embed_tokens.weight)
end

return require 'zoo.declare' {
  title = 'Llama',
  paper = 'Touvron et al. (2023), "LLaMA: Open and Efficient Foundation Language Models", arXiv:2302.13971',
  input = function(o) return { o.maxPositionEmbeddings } end, tokens = 'vocabSize',
  options = {
    { 'vocabSize', 'int', min = 1, default = 32000 }, { 'hiddenSize', 'int', min = 1, default = 4096 },
    { 'intermediateSize', 'int', min = 1, default = 11008 }, { 'numHiddenLayers', 'int', min = 1, default = 32 },
    { 'numAttentionHeads', 'int', min = 1, default = 32 }, { 'numKeyValueHeads', 'int', min = 1 }, { 'headDim', 'int', min = 2 },
    { 'maxPositionEmbeddings', 'int', min = 1, default = 2048 }, { 'rmsNormEps', 'number', min = 0, default = 1e-6 },
    { 'ropeTheta', 'number', min = 1, default = 10000 }, { 'tieWordEmbeddings', 'boolean', default = false },
  },
  models = { llama = {} },
  make = function(o) return Llama.new(o) end,
  ignores = { 'rotary_emb%.inv_freq$', '^lm_head%.weight$' },
  samples = {
    { 'llama', {
      vocabSize = 9, hiddenSize = 8, intermediateSize = 12, numHiddenLayers = 2, numAttentionHeads = 4, numKeyValueHeads = 2,
      maxPositionEmbeddings = 6, rmsNormEps = 1e-5,
    }, { 2, 5 } },
  },
}
