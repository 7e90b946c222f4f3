--- A layer of a decoder: self-attention, attention to an encoder's results, then two linear maps, each with a residual connection and
-- normalisation.
-- Shapes: tgt (T, N, dModel), with batchFirst (N, T, dModel), or (T, dModel), and memory likewise with S positions -> those of tgt.
-- Source: Vaswani et al. (2017), "Attention Is All You Need", NIPS, section 3.
-- @classmod nn.TransformerDecoderLayer
local torch, signature = require 'torch', require 'nn.support.signature'
require 'nn'
local transformer = require 'nn.support.transformer'

local TransformerDecoderLayer, parent = torch.class('nn.TransformerDecoderLayer', 'nn.Module')
TransformerDecoderLayer.__givesWay = true
TransformerDecoderLayer._stateNames = { selfAttn = 'self_attn', multiheadAttn = 'multihead_attn' }

--- @tparam int dModel size of a position
-- @tparam int nhead number of heads, a divisor of dModel
-- @tparam[opt=2048] int dimFeedforward size between the linear maps
-- @tparam[opt=0.1] number dropout
-- @tparam[opt='relu'] string|function activation or 'gelu'
-- @tparam[opt=1e-5] number layerNormEps
-- @tparam[opt=false] bool batchFirst
-- @tparam[opt=false] bool normFirst normalisation before attention and linear maps, instead of after the sums
-- @tparam[opt=true] bool bias
function TransformerDecoderLayer:__init(dModel, nhead, dimFeedforward, dropout, activation, layerNormEps, batchFirst, normFirst, bias)
  parent.__init(self)
  transformer.parts(self, {
    dModel = dModel, nhead = nhead, dimFeedforward = dimFeedforward, dropout = dropout, activation = activation,
    layerNormEps = layerNormEps, batchFirst = batchFirst, normFirst = normFirst, bias = bias,
  }, { 'selfAttn', 'multiheadAttn' })
end

local read = signature('nn.TransformerDecoderLayer', transformer.decoderArguments, function(...) return ... end)

--- Arguments after memory may be passed by name in a table: tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask (as attnMask and
-- keyPaddingMask of nn.MultiheadAttention), tgtIsCausal, memoryIsCausal (false); cache, an nn.KeyValueCache for self-attention.
-- @param ... tgt, memory, tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask, tgtIsCausal, memoryIsCausal, cache
-- @treturn torch.Tensor
function TransformerDecoderLayer:forward(...)
  local tgt, memory, mask, memoryMask, padding, memoryPadding, isCausal, memoryIsCausal, cache = read(...)
  return transformer.residual(self, tgt, {
    function(x) return self.selfAttn { x, attnMask = mask, keyPaddingMask = padding, isCausal = isCausal, cache = cache } end,
    function(x)
      return self.multiheadAttn { x, memory, memory, attnMask = memoryMask, keyPaddingMask = memoryPadding, isCausal = memoryIsCausal }
    end,
    function(x) return transformer.feedForward(self, x) end,
  })
end

return require('nn.support.options').install(TransformerDecoderLayer)
