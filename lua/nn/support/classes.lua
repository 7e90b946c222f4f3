--- The common part of the softmax modules: the dimension of the classes, by the number of dimensions.
-- @module nn.support.classes
local torch = require 'torch'
local refuse = require 'torch.check.refuse'

local classes = {}

--- Raises an error if an input has no dimension for the classes.
function classes.accepts(self, input)
  local dims = input:dim()
  if dims < 1 or dims > 4 then
    refuse.shape(('%s: input: %d dimensions, 1D, 2D, 3D or 4D tensor expected'):format(torch.type(self), dims))
  end
end

--- Returns a formula with the value `dim`. A backward without its input uses the output.
-- @tparam string text
-- @treturn function (self, input) -> text, dim
function classes.formula(text)
  return function(self, input) return text, (input or self.output):dim() % 2 == 1 and 1 or 2 end
end

return classes
