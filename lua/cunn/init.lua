--- Torch7's package of networks on CUDA: `require 'cunn'` loads cutorch, nn, and nn.DataParallelTable. Modules and criteria run on the
-- device of their tensors: `net:cuda()`, `criterion:cuda()` and `input:cuda()` are enough.
-- @module cunn
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch = require 'torch'
require 'cutorch'
local nn = require 'nn'

local cunn = {}
package.loaded.cunn = cunn
rawset(_G, 'cunn', cunn)

-- Torch7's kernels by name, like those of the CPU's tensors.
local kernels = torch.getmetatable('torch.FloatTensor').THNN
for _, name in ipairs { 'torch.CudaTensor', 'torch.CudaDoubleTensor', 'torch.CudaHalfTensor' } do
  local metatable = torch.getmetatable(name)      -- nil without a GPU
  if metatable then metatable.THNN = kernels end
end

nn.Module._flattenTensorBuffer['torch.CudaTensor'] = torch.FloatTensor.new      -- programs check for it; this package does not need it

require 'cunn.DataParallelTable'

--- Runs the tests of the package: compares modules on CUDA with those on the CPU.
-- @param ... names of tests
function cunn.test(...) return require 'cunn.self_test'(...) end
nn.testcuda = cunn.test

return cunn
