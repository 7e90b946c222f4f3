--- A layer of an encoder: self-attention, then two linear maps, each with a residual connection and normalisation.
-- Shapes: src (T, N, dModel), with batchFirst (N, T, dModel), or (T, dModel) -> the same.
-- Source: Vaswani et al. (2017), "Attention Is All You Need", NIPS, section 3; for normFirst Xiong et al. (2020), "On Layer Normalization
-- in the Transformer Architecture", ICML.
-- @classmod nn.TransformerEncoderLayer
local torch, signature = require 'torch', require 'nn.support.signature'
require 'nn'
local transformer = require 'nn.support.transformer'

local TransformerEncoderLayer, parent = torch.class('nn.TransformerEncoderLayer', 'nn.Module')
TransformerEncoderLayer.__givesWay = true
TransformerEncoderLayer._stateNames = { selfAttn = 'self_attn' }

--- @tparam int dModel size of a position
-- @tparam int nhead number of heads, a divisor of dModel
-- @tparam[opt=2048] int dimFeedforward size between the linear maps
-- @tparam[opt=0.1] number dropout
-- @tparam[opt='relu'] string|function activation or 'gelu'
-- @tparam[opt=1e-5] number layerNormEps
-- @tparam[opt=false] bool batchFirst
-- @tparam[opt=false] bool normFirst normalisation before attention and linear maps, instead of after the sums
-- @tparam[opt=true] bool bias
function TransformerEncoderLayer:__init(dModel, nhead, dimFeedforward, dropout, activation, layerNormEps, batchFirst, normFirst, bias)
  parent.__init(self)
  transformer.parts(self, {
    dModel = dModel, nhead = nhead, dimFeedforward = dimFeedforward, dropout = dropout, activation = activation,
    layerNormEps = layerNormEps, batchFirst = batchFirst, normFirst = normFirst, bias = bias,
  }, { 'selfAttn' })
end

local read = signature('nn.TransformerEncoderLayer', {
  { 'src', 'tensor' }, { 'srcMask', 'tensor', optional = true }, { 'srcKeyPaddingMask', 'tensor', optional = true },
  { 'isCausal', 'boolean', default = false }, { 'cache', 'any', optional = true },
}, function(...) return ... end)

--- Arguments after src may be passed by name in a table: srcMask, srcKeyPaddingMask (as attnMask and keyPaddingMask of
-- nn.MultiheadAttention), isCausal (false): positions ignore later ones; cache, an nn.KeyValueCache.
-- @param ... src, srcMask, srcKeyPaddingMask, isCausal, cache
-- @treturn torch.Tensor
function TransformerEncoderLayer:forward(...)
  local src, mask, padding, isCausal, cache = read(...)
  return transformer.residual(self, src, {
    function(x) return self.selfAttn { x, attnMask = mask, keyPaddingMask = padding, isCausal = isCausal, cache = cache } end,
    function(x) return transformer.feedForward(self, x) end,
  })
end

return require('nn.support.options').install(TransformerEncoderLayer)
