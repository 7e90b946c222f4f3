--- Asynchronous copies between the CPU and CUDA's devices.
-- @module torch.cuda.copies
local ffi = require 'ffi'
local C = require 'libmoontorch'
local check = require 'torch.check'
require 'torch.index.element'      -- declares the types

local copies = {}

--- Returns the address of a tensor's first element, on any device.
function copies.addressOf(x)
  local view = ffi.cast('const mt_tensor_view *', x)
  return view.storage.data + view.offset * x:elementSize()
end

local function numberOf(x)
  local number = x:device():match '^cuda:(%d+)$'
  return number and number - 1
end

-- Returns whether elements can be copied without conversion.
local function isPlain(x, source)
  return C.dtypeOf(source) == C.dtypeOf(x) and source:nElement() == x:nElement() and x:nElement() > 0 and x:isContiguous()
    and source:isContiguous() and not C.tracked(x) and not C.tracked(source)
end

--- Like `copy`, but returns immediately if elements are copied between a CUDA device and a CPU tensor in pinned memory
-- (`torch.cuda.pinned`) of the same type, both contiguous. The program must not use this CPU tensor until `torch.cuda.synchronize`, or an
-- event after the copy.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor source
-- @treturn torch.Tensor x
function copies.copyAsync(x, source)
  check.tensor('copyAsync', 'self', x)
  check.tensor('copyAsync', 'source', source)
  local onHost = x:device() == 'cpu' and x or source:device() == 'cpu' and source
  local number = numberOf(onHost == x and source or x)
  if not onHost or not number or not isPlain(x, source) then return x:copy(source) end
  local memory, api = require 'torch.cuda.memory', require 'torch.cuda.api'
  if not memory.isPinned(onHost) then return x:copy(source) end
  local bytes = x:nElement() * x:elementSize()
  if onHost == source then
    api.call('copyAsync', 'copy_to_device', number, copies.addressOf(x), copies.addressOf(source), bytes)
  else
    api.call('copyAsync', 'copy_to_host', number, copies.addressOf(x), copies.addressOf(source), bytes)
  end
  C.bumpVersion(x)
  return x
end

return copies
