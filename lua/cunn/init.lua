--- Torch7's package of networks on CUDA: `require 'cunn'` brings cutorch, nn, and nn.DataParallelTable.
-- Modules and criteria run where their tensors are, so that `net:cuda()`, `criterion:cuda()` and `input:cuda()` are all that it takes.
-- @module cunn
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch = require 'torch'
require 'cutorch'
local nn = require 'nn'

local cunn = {}
package.loaded.cunn = cunn
rawset(_G, 'cunn', cunn)

-- Torch7's kernels by name, as the CPU's tensors have them.
local kernels = torch.getmetatable('torch.FloatTensor').THNN
for _, name in ipairs { 'torch.CudaTensor', 'torch.CudaDoubleTensor', 'torch.CudaHalfTensor' } do
  local metatable = torch.getmetatable(name)      -- nil without a GPU
  if metatable then metatable.THNN = kernels end
end

nn.Module._flattenTensorBuffer['torch.CudaTensor'] = torch.FloatTensor.new      -- programs look for it; there is no need for it here

require 'cunn.DataParallelTable'

--- Runs the tests of the package: modules on CUDA beside the CPU's.
-- @param ... names of tests
function cunn.test(...) return require 'cunn.self_test'(...) end
nn.testcuda = cunn.test

return cunn
