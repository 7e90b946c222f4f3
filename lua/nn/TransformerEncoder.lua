--- Copies of an encoder's layer, one after the other, and a final normalisation.
-- Shapes: those of the layer.
-- @classmod nn.TransformerEncoder
local torch, signature = require 'torch', require 'nn.support.signature'
require 'nn'
local transformer = require 'nn.support.transformer'

local TransformerEncoder, parent = torch.class('nn.TransformerEncoder', 'nn.Module')
TransformerEncoder.__givesWay = true

--- @tparam nn.Module encoderLayer is copied
-- @tparam int numLayers
-- @tparam[opt] nn.Module norm
function TransformerEncoder:__init(encoderLayer, numLayers, norm)
  parent.__init(self)
  transformer.copies(self, 'encoderLayer', encoderLayer, numLayers, norm)
end

local read = signature('nn.TransformerEncoder', {
  { 'src', 'tensor' }, { 'mask', 'tensor', optional = true }, { 'srcKeyPaddingMask', 'tensor', optional = true },
  { 'isCausal', 'boolean', default = false }, { 'cache', 'any', optional = true },
}, function(...) return ... end)

--- Arguments after src may be passed by name in a table: see nn.TransformerEncoderLayer.
-- @param ... src, mask, srcKeyPaddingMask, isCausal, cache
-- @treturn torch.Tensor
function TransformerEncoder:forward(...)
  local src, mask, padding, isCausal, cache = read(...)
  return transformer.run(self, src, cache, function(layer, x, own) return layer(x, mask, padding, isCausal, own) end)
end

return require('nn.support.options').install(TransformerEncoder)
