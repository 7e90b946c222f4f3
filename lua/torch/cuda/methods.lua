--- What tensors on CUDA's devices have beside the methods of all tensors, as in cutorch.
-- @module torch.cuda.methods
local ffi = require 'ffi'
local C = require 'libmoontorch'
local check = require 'torch.check'

local methods = {}

--- The number of the device where a tensor is, from 1; 0 where it has no elements.
-- @treturn int
function methods.getDevice(x)
  if x:nElement() == 0 then return 0 end
  return tonumber(x:device():match '%d+$')
end

--- Whether a tensor's memory is the host's, too: never.
-- @treturn boolean
function methods.isManaged() return false end

-- The address of a tensor's first element, wherever it is.
local function addressOf(x)
  local view = ffi.cast('const mt_tensor_view *', x)
  return view.storage.data + view.offset * x:elementSize()
end

--- Copies elements without waiting for the copy, from or to a CPU tensor in pinned memory of the same dtype and both contiguous; else as
-- `copy` does.
-- @tparam torch.Tensor source
-- @treturn torch.Tensor x
function methods.copyAsync(x, source)
  check.tensor('copyAsync', 'source', source)
  local api = require 'torch.cuda.api'
  local direct = source:device() == 'cpu' and C.dtypeOf(source) == C.dtypeOf(x) and source:nElement() == x:nElement()
    and x:isContiguous() and source:isContiguous() and x:nElement() > 0 and require('torch.cuda.memory').isPinned(source)
  if not direct then return x:copy(source) end
  local number = tonumber(x:device():match '%d+$') - 1
  api.call('copyAsync', 'copy_to_device', number, addressOf(x), source:data(), x:nElement() * x:elementSize())
  C.bumpVersion(x)
  return x
end

return methods
