--- An encoder and a decoder with attention.
-- Shapes: src (S, N, dModel) and tgt (T, N, dModel), with batchFirst (N, S, dModel) and (N, T, dModel), or without N -> that of tgt.
-- Source: Vaswani et al. (2017), "Attention Is All You Need", NIPS, section 3.
-- @classmod nn.Transformer
local torch, check, signature = require 'torch', require 'torch.check', require 'nn.support.signature'
local nn = require 'nn'
local transformer = require 'nn.support.transformer'

local Transformer, parent = torch.class('nn.Transformer', 'nn.Module')
Transformer.__givesWay = true

--- @tparam[opt=512] int dModel size of a position
-- @tparam[opt=8] int nhead number of heads, a divisor of dModel
-- @tparam[opt=6] int numEncoderLayers
-- @tparam[opt=6] int numDecoderLayers
-- @tparam[opt=2048] int dimFeedforward size between the linear maps
-- @tparam[opt=0.1] number dropout
-- @tparam[opt='relu'] string|function activation or 'gelu'
-- @tparam[opt] nn.Module customEncoder instead of an nn.TransformerEncoder
-- @tparam[opt] nn.Module customDecoder instead of an nn.TransformerDecoder
-- @tparam[opt=1e-5] number layerNormEps
-- @tparam[opt=false] bool batchFirst
-- @tparam[opt=false] bool normFirst normalisation before attention and linear maps, instead of after the sums
-- @tparam[opt=true] bool bias
function Transformer:__init(dModel, nhead, numEncoderLayers, numDecoderLayers, dimFeedforward, dropout, activation, customEncoder,
                            customDecoder, layerNormEps, batchFirst, normFirst, bias)
  parent.__init(self)
  dModel, nhead, layerNormEps = dModel or 512, nhead or 8, layerNormEps or 1e-5
  local function stack(Layer, Stack, count)
    local layer = Layer(dModel, nhead, dimFeedforward, dropout, activation, layerNormEps, batchFirst, normFirst, bias)
    return Stack(layer, count, transformer.norm(dModel, layerNormEps, bias))
  end
  self.encoder = customEncoder or stack(nn.TransformerEncoderLayer, nn.TransformerEncoder, numEncoderLayers or 6)
  self.decoder = customDecoder or stack(nn.TransformerDecoderLayer, nn.TransformerDecoder, numDecoderLayers or 6)
  self.dModel, self.nhead, self.batchFirst = dModel, nhead, batchFirst or false
  self:reset()
end

--- Draws all matrices by Xavier's uniform initialisation.
function Transformer:reset()
  for _, parameter in ipairs((self:parameters())) do
    if parameter:dim() > 1 then nn.init.xavierUniform(parameter) end
  end
end

local read = signature('nn.Transformer', {
  { 'src', 'tensor' }, { 'tgt', 'tensor' }, { 'srcMask', 'tensor', optional = true }, { 'tgtMask', 'tensor', optional = true },
  { 'memoryMask', 'tensor', optional = true }, { 'srcKeyPaddingMask', 'tensor', optional = true },
  { 'tgtKeyPaddingMask', 'tensor', optional = true }, { 'memoryKeyPaddingMask', 'tensor', optional = true },
  { 'srcIsCausal', 'boolean', default = false }, { 'tgtIsCausal', 'boolean', default = false },
  { 'memoryIsCausal', 'boolean', default = false },
}, function(...) return ... end)

--- Arguments after tgt may be passed by name in a table: srcMask, tgtMask, memoryMask, srcKeyPaddingMask, tgtKeyPaddingMask,
-- memoryKeyPaddingMask (as attnMask and keyPaddingMask of nn.MultiheadAttention), srcIsCausal, tgtIsCausal, memoryIsCausal (false).
-- @param ... src, tgt, and these, in this order
-- @treturn torch.Tensor
function Transformer:forward(...)
  local src, tgt, srcMask, tgtMask, memoryMask, srcPadding, tgtPadding, memoryPadding, srcCausal, tgtCausal, memoryCausal = read(...)
  local memory = self.encoder(src, srcMask, srcPadding, srcCausal)
  return self.decoder(tgt, memory, tgtMask, memoryMask, tgtPadding, memoryPadding, tgtCausal, memoryCausal)
end

--- Returns a mask with which positions ignore later ones: -inf behind the position, else 0. (Called without an object.)
-- @int size number of positions
-- @treturn torch.Tensor (size, size)
-- @usage nn.Transformer.generateSquareSubsequentMask(3)
function Transformer.generateSquareSubsequentMask(size)
  check.int('nn.Transformer.generateSquareSubsequentMask', 'size', size, { min = 1 })
  return torch.zeros(size, size):maskedFill(torch.eq(torch.tril(torch.ones(size, size)), 0), -math.huge)
end

return require('nn.support.options').install(Transformer)
