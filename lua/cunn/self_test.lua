--- `cunn.test()`: compares modules and criteria on CUDA with those on the CPU, by torch.Tester.
-- @module cunn.self_test
local torch, nn = require 'torch', require 'nn'

local tests, tester = torch.TestSuite(), torch.Tester()

local function near(onDevice, onHost, what) tester:assertlt((onDevice:float() - onHost:float()):abs():max(), 1e-3, what) end

-- Adds a test of one module: outputs and gradients for a batch of these sizes.
local function compare(name, make, ...)
  local sizes = torch.LongStorage { ... }
  tests[name] = function()
    local net, x = make():float(), torch.randn(sizes):float()
    local copy = net:clone():cuda()
    local y = net:forward(x)
    near(copy:forward(x:cuda()), y, name .. ': output')
    local g = torch.randn(y:size()):float()
    near(copy:backward(x:cuda(), g:cuda()), net:backward(x, g), name .. ': gradInput')
    local _, gradients = net:parameters()
    local _, copies = copy:parameters()
    for i, gradient in ipairs(gradients or {}) do near(copies[i], gradient, name .. ': gradient ' .. i) end
  end
end

compare('Linear', function() return nn.Linear(5, 3) end, 4, 5)
compare('Tanh', function() return nn.Tanh() end, 4, 5)
compare('ReLU', function() return nn.ReLU() end, 4, 5)
compare('LogSoftMax', function() return nn.LogSoftMax() end, 4, 5)
compare('SpatialConvolution', function() return nn.SpatialConvolution(3, 4, 3, 3) end, 2, 3, 8, 8)
compare('SpatialMaxPooling', function() return nn.SpatialMaxPooling(2, 2) end, 2, 3, 8, 8)
compare('BatchNormalization', function() return nn.BatchNormalization(5) end, 4, 5)

function tests.MSECriterion()
  local criterion, x, t = nn.MSECriterion():float(), torch.randn(4, 3):float(), torch.randn(4, 3):float()
  tester:assertlt(math.abs(nn.MSECriterion():cuda():forward(x:cuda(), t:cuda()) - criterion:forward(x, t)), 1e-4, 'loss')
end

tester:add(tests)

--- Runs all tests, or those with the given names.
return function(names) return tester:run(names) end
