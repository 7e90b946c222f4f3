--- The results of an op in a sample that have derivatives, as a list.
local torch = require 'torch'
local sampleInputs = require 'autograd.sweep.sample_inputs'

--- @tparam table op as described in torch.sweep.op
-- @tparam table sample
-- @string kind the type of the inputs and results
-- @tparam {torch.Tensor,...} inputs in place of those of the sample
-- @treturn {torch.Tensor,...} tensors of this type with elements; a number is a tensor with one element
return function(op, sample, kind, inputs)
  local list = {}
  local function add(...)
    for i = 1, select('#', ...) do
      local y = select(i, ...)
      if type(y) == 'number' then y = torch.Tensor { y } end
      if torch.isTensor(y) and y:type() == kind and y:nElement() > 0 then list[#list + 1] = y end
    end
  end
  add(sampleInputs.call(op, sample, kind, inputs))
  return list
end
