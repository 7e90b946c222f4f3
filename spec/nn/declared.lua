-- Modules and criteria for the sweep: their constructors and inputs. figures.py computes the expected results. A list of
-- numbers represents a tensor of that size, a list of lists a table of tensors. rows: each row of the output is the module's
-- result for that row of the input. positive: the input is above 0; unit: between 0 and 1. of: distinguishes two cases of one
-- name.
local samples = require 'spec.support.nn_samples'

local declared = {}

declared.modules = {
  -- whose classes have a formula for other norms
  { 'Normalize(1)', { 4, 3 }, rows = true }, { 'Normalize(3)', { 4, 3 }, rows = true },
  { 'Normalize(math.huge)', { 4, 3 }, rows = true },
  -- containers
  { 'Sequential():add(nn.Linear(3, 4)):add(nn.ReLU(true)):add(nn.Linear(4, 2))', { 4, 3 }, rows = true },
  { 'Concat(2):add(nn.Linear(3, 2)):add(nn.Sequential():add(nn.Linear(3, 4)):add(nn.ReLU(true)))', { 4, 3 } },
  { 'DepthConcat(1):add(nn.Linear(5, 2)):add(nn.Linear(5, 5))', { 3, 5 } },
  { 'ConcatTable():add(nn.Linear(3, 2)):add(nn.Identity())', { 4, 3 } },
  { 'ParallelTable():add(nn.Linear(3, 2)):add(nn.Tanh())', { { 4, 3 }, { 2 } } },
  { 'Parallel(2, 1):add(nn.Linear(3, 2)):add(nn.Linear(3, 4))', { 3, 2 } },
  { 'MapTable(nn.Linear(3, 2))', { { 4, 3 }, { 2, 3 } } },
}

-- Classes that are declared say it themselves (lua/nn/support/declare.lua). Criteria: how each is made, input, target (sizes; a number;
-- or a tensor as text).
declared.criteria = {}
for _, class in ipairs(samples.classes()) do
  local list = samples.isCriterion(class) and declared.criteria or declared.modules
  for _, sample in ipairs(samples.of(class)) do list[#list + 1] = sample end
end

return declared
