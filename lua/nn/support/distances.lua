--- Creates classes of modules that compare vectors with learned ones: nn.Cosine, nn.Euclidean, nn.WeightedEuclidean.
-- @module nn.support.distances
local torch = require 'torch'
local nn = require 'nn'
local boundOf = require 'nn.support.bound'
local refuse = require 'torch.check.refuse'

local distances = {}

--- Returns the differences between each row of x (N, in) and each column of w (in, out).
-- @treturn torch.Tensor (N, in, out)
function distances.differences(x, w)
  local count, inputSize, outputSize = x:size(1), w:size(1), w:size(2)
  local rows = torch.expand(torch.view(x:contiguous(), count, inputSize, 1), count, inputSize, outputSize)
  return torch.csub(rows, torch.expand(torch.view(w, 1, inputSize, outputSize), count, inputSize, outputSize))
end

--- Creates such a class: with the options inputSize and outputSize, for vectors or matrices.
-- @tparam table spec the declaration without these
-- @tparam function fn(module, x): (N, out) from x (N, in)
-- @treturn table the class
-- @treturn table its parent
function distances.class(spec, fn)
  spec.options = { { 'inputSize', 'int', min = 1 }, { 'outputSize', 'int', min = 1 } }
  spec.compute = function(self, input)
    local dims = input:dim()
    if dims ~= 1 and dims ~= 2 then refuse.shape(('%s: input: %d dimensions, 1D or 2D input expected'):format(spec.name, dims)) end
    if dims == 2 then return fn(self, input) end
    local output = fn(self, torch.view(input:contiguous(), 1, input:size(1)))
    return torch.view(output, output:size(2))
  end
  local class, parent = nn.declare(spec)

  --- Draws the weight uniformly between -s and s, s = 1 / sqrt(size of its first dimension).
  -- @tparam[opt] number stdv standard deviation of the draws instead
  function class:reset(stdv)
    self:draw(boundOf(self, stdv, 1 / math.sqrt(self.weight:size(1))))
  end

  return class, parent
end

return distances
