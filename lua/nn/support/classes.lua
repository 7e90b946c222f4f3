--- What the softmax modules share: the dimension of the classes, by the number of dimensions.
-- @module nn.support.classes
local torch = require 'torch'
local refuse = require 'torch.check.refuse'

local classes = {}

--- Raises an error where the classes of an input have no place.
function classes.accepts(self, input)
  local dims = input:dim()
  if dims < 1 or dims > 4 then
    refuse.shape(('%s: input: %d dimensions, 1D, 2D, 3D or 4D tensor expected'):format(torch.type(self), dims))
  end
end

--- A formula with the value `dim`; a backward without its input goes by the output.
-- @tparam string text
-- @treturn function (self, input) -> text, dim
function classes.formula(text)
  return function(self, input) return text, (input or self.output):dim() % 2 == 1 and 1 or 2 end
end

return classes
