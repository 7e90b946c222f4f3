--- Samples of complex numbers: those of an op's declaration, whose floats become real parts; imaginary parts are others of the same kind.
local torch = require 'torch'
local op, samples = require 'torch.sweep.op', require 'torch.sweep.samples'

local real = 'torch.DoubleTensor'
local complexSamples = {}

--- All ops that compute with complex numbers, or move them, sorted by name: those that declare so, and composed ones.
function complexSamples.ops()
  local list = {}
  for _, name in ipairs(torch.ops()) do
    local one = op.of(name)
    if (one.info.complex or one.composed) and not one.random then list[#list + 1] = one end
  end
  return list
end

--- @tparam table one an op
-- @string kind 'torch.ComplexFloatTensor' or 'torch.ComplexDoubleTensor'
-- @treturn {table,...} argument lists, as those of torch.sweep.samples
function complexSamples.of(one, kind)
  local list, others = {}, samples.of(one, real, { seed = 77 })
  for i, sample in ipairs(samples.of(one, real)) do
    local imaginary = samples.tensors(others[i])
    list[i] = samples.map(sample, function(x, k)
      return x:type() == real and torch.complex(x, imaginary[k]):to(kind) or x
    end)
  end
  return list
end

return complexSamples
