--- Copies of a decoder's layer, one after the other, and a final normalisation.
-- Shapes: those of the layer.
-- @classmod nn.TransformerDecoder
local torch, signature = require 'torch', require 'nn.support.signature'
require 'nn'
local transformer = require 'nn.support.transformer'

local TransformerDecoder, parent = torch.class('nn.TransformerDecoder', 'nn.Module')
TransformerDecoder.__givesWay = true

--- @tparam nn.Module decoderLayer is copied
-- @tparam int numLayers
-- @tparam[opt] nn.Module norm
function TransformerDecoder:__init(decoderLayer, numLayers, norm)
  parent.__init(self)
  transformer.copies(self, 'decoderLayer', decoderLayer, numLayers, norm)
end

local read = signature('nn.TransformerDecoder', transformer.decoderArguments, function(...) return ... end)

--- Arguments after memory may be passed by name in a table: see nn.TransformerDecoderLayer.
-- @param ... tgt, memory, tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask, tgtIsCausal, memoryIsCausal, cache
-- @treturn torch.Tensor
function TransformerDecoder:forward(...)
  local tgt, memory, mask, memoryMask, padding, memoryPadding, isCausal, memoryIsCausal, cache = read(...)
  return transformer.run(self, tgt, cache, function(layer, x, own)
    return layer(x, memory, mask, memoryMask, padding, memoryPadding, isCausal, memoryIsCausal, own)
  end)
end

return require('nn.support.options').install(TransformerDecoder)
