--- The inputs of a network as a list.
-- @module quantize.inputs
-- @local
local torch = require 'torch'
local check, messages = require 'torch.check', require 'torch.check.message'

--- Returns the inputs of a call as a list of tensors.
-- @string where for messages
-- @param input a tensor, or a list of tensors
-- @int[opt] count the number of inputs of the network
-- @treturn {torch.Tensor,...}
return function(where, input, count)
  if torch.isTensor(input) then input = { input } end
  if type(input) ~= 'table' or #input == 0 then
    check.raise(('%s: %s, expected a tensor or a list of tensors'):format(where, messages.value(input)))
  end
  for i = 1, #input do
    if not torch.isTensor(input[i]) then
      check.raise(('%s: %s, expected tensors'):format(where, messages.value(input[i])))
    end
  end
  if count and #input ~= count then check.raise(('%s: %d tensors, expected %d for a run of the network'):format(where, #input, count)) end
  return input
end
