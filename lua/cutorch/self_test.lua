--- `cutorch.test()`: compares ops on CUDA tensors with the CPU's, by torch.Tester.
-- @module cutorch.self_test
local torch = require 'torch'

local tests = torch.TestSuite()
local tester = torch.Tester()

local function near(onDevice, onHost, what) tester:assertlt((onDevice:float() - onHost:float()):abs():max(), 1e-4, what) end

function tests.copies()
  local x = torch.randn(3, 4)
  tester:eq(x:cudaDouble():double(), x, 'there and back')
  tester:eq(torch.CudaTensor(3, 4):copy(x):float(), x:float(), 'copy')
  tester:eq(x:cuda():t():float(), x:t():float(), 'of a view')
end

function tests.elementwise()
  local x = torch.rand(5, 7):float():add(0.5)
  for _, name in ipairs { 'exp', 'log', 'sqrt', 'tanh', 'sigmoid', 'abs' } do near(torch[name](x:cuda()), torch[name](x), name) end
  near(torch.add(x:cuda(), 2, x:cuda()), torch.add(x, 2, x), 'add')
  near(torch.cmul(x:cuda(), x:cuda()), torch.cmul(x, x), 'cmul')
end

function tests.products()
  local a, b = torch.randn(4, 5):float(), torch.randn(5, 3):float()
  near(a:cuda() * b:cuda(), a * b, 'mm')
end

function tests.reductions()
  local x = torch.randn(6, 9):float()
  near(x:cuda():sum(2), x:sum(2), 'sum')
  near((x:cuda():max(1)), (x:max(1)), 'max')
end

function tests.types()
  tester:eq(torch.rand(2):cuda():gt(0):type(), 'torch.CudaByteTensor', 'comparison')
  tester:eq(select(2, torch.rand(2, 2):cuda():max(1)):type(), 'torch.CudaLongTensor', 'positions')
end

tester:add(tests)

--- Runs all tests, or those with the given names.
return function(names) return tester:run(names) end
