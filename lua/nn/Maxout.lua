--- The maximum of k linear maps, elementwise.
-- Source: Goodfellow et al. (2013), "Maxout Networks", ICML, section 2. Shapes: x (in) -> (out), or (N, in) -> (N, out).
-- @classmod nn.Maxout
local nn = require 'nn'

local Maxout, parent = nn.declare {
  name = 'nn.Maxout', parent = 'nn.Sequential',
  samples = { { 'Maxout(3, 2, 4)', { 5, 3 }, rows = true } },
}

--- @tparam int inputSize
-- @tparam int outputSize
-- @tparam int k number of maps
-- @tparam[opt] nn.Module preprocess applied before the maximum
function Maxout:__init(inputSize, outputSize, k, preprocess)
  parent.__init(self)
  self:add(nn.Linear(inputSize, outputSize * k))
  self:add(nn.View(k, outputSize):setNumInputDims(1))
  if preprocess then self:add(preprocess) end
  self:add(nn.Max(1, 2))
end

return Maxout
