--- The gradient of modules that show the elements of their input in another shape: gradOutput itself, in the input's shape, and with its
-- channels last where the input has them so: the modules before it can go on as they came.
-- @module nn.support.reshaping
local torch = require 'torch'

--- @tparam table class with its `compute`
-- @treturn table the class
return function(class)
  class.saved = { of = class.compute, gradient = function(_, input, gradOutput)
    if not torch.isTensor(input) or input:nElement() ~= gradOutput:nElement() or input:nElement() == 0 then return nil end
    local gradInput = gradOutput:contiguous():viewAs(input)
    return input:isChannelsLast() and gradInput:channelsLast() or gradInput
  end }
  return class
end
