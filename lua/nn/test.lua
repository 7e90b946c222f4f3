--- nn.test: checks of modules with nn.Jacobian, run by torch.Tester; `nn.test()` or `nn.test { 'Linear', 'Tanh' }`.
-- @module nn.test
local torch = require 'torch'
local nn = require 'nn'

local elementwise = {
  'Abs', 'ELU', 'Exp', 'HardShrink', 'HardTanh', 'LeakyReLU', 'LogSigmoid', 'Sigmoid', 'SoftPlus', 'SoftShrink', 'SoftSign', 'Square',
  'Tanh', 'TanhShrink', 'ReLU', 'ReLU6', 'SoftMax', 'LogSoftMax', 'SoftMin', 'Threshold', 'PReLU', 'Mul', 'Identity', 'Contiguous',
}

-- name -> constructor call, and sizes of an input
local others = {
  Linear = { function() return nn.Linear(3, 2) end, { 4, 3 } }, Add = { function() return nn.Add(3) end, { 4, 3 } },
  CAdd = { function() return nn.CAdd(3) end, { 4, 3 } }, CMul = { function() return nn.CMul(3) end, { 4, 3 } },
  Cosine = { function() return nn.Cosine(3, 2) end, { 4, 3 } }, Euclidean = { function() return nn.Euclidean(3, 2) end, { 4, 3 } },
  WeightedEuclidean = { function() return nn.WeightedEuclidean(3, 2) end, { 4, 3 } },
  LinearWeightNorm = { function() return nn.LinearWeightNorm(3, 2) end, { 4, 3 } },
  Max = { function() return nn.Max(2) end, { 4, 3 } }, Min = { function() return nn.Min(2) end, { 4, 3 } },
  Sum = { function() return nn.Sum(2) end, { 4, 3 } }, Mean = { function() return nn.Mean(2) end, { 4, 3 } },
  Normalize = { function() return nn.Normalize(2) end, { 4, 3 } }, View = { function() return nn.View(6) end, { 4, 2, 3 } },
  Reshape = { function() return nn.Reshape(6) end, { 4, 2, 3 } }, Narrow = { function() return nn.Narrow(1, 2, 2) end, { 4, 3 } },
  Select = { function() return nn.Select(1, 2) end, { 4, 3 } }, Replicate = { function() return nn.Replicate(2) end, { 4, 3 } },
  Transpose = { function() return nn.Transpose { 1, 2 } end, { 4, 3 } }, Padding = { function() return nn.Padding(1, 2) end, { 4, 3 } },
  SpatialConvolution = { function() return nn.SpatialConvolution(2, 3, 2, 2) end, { 2, 2, 3, 4 } },
  SpatialMaxPooling = { function() return nn.SpatialMaxPooling(2, 2) end, { 2, 2, 4, 4 } },
  TemporalConvolution = { function() return nn.TemporalConvolution(3, 2, 2) end, { 4, 3 } },
}
for _, name in ipairs(elementwise) do others[name] = { function() return nn[name]() end, { 4, 3 } } end

local precision = 1e-5

local function check(tester, name)
  local make, sizes = unpack(others[name])
  local module, input = make():double(), torch.DoubleTensor(torch.LongStorage(sizes))
  tester:assertlt(nn.Jacobian.testJacobian(module, input), precision, name .. ': gradient by the input')
  for _, field in ipairs { 'weight', 'bias' } do
    local gradient = 'grad' .. field:sub(1, 1):upper() .. field:sub(2)
    if module[field] and module[gradient] then
      local distance = nn.Jacobian.testJacobianParameters(module, input, module[field], module[gradient])
      tester:assertlt(distance, precision, name .. ': gradient by ' .. field)
    end
  end
  local forwardError, backwardError = nn.Jacobian.testIO(module, input)
  tester:asserteq(forwardError, 0, name .. ': forward after saving')
  tester:asserteq(backwardError, 0, name .. ': backward after saving')
end

--- Runs the checks.
-- @tparam[opt] {string,...} names of modules; by default all
-- @treturn torch.Tester
local function test(names)
  local tester, suite = torch.Tester(), torch.TestSuite()
  for name in pairs(others) do suite[name] = function() check(tester, name) end end
  tester:add(suite)
  tester:run(names)
  return tester
end

return test
