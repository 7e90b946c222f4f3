--- Copies between the CPU and CUDA's devices that nobody waits for.
-- @module torch.cuda.copies
local ffi = require 'ffi'
local C = require 'libmoontorch'
local check = require 'torch.check'
require 'torch.index.element'      -- declares the types

local copies = {}

-- The address of a tensor's first element, wherever it is.
local function addressOf(x)
  local view = ffi.cast('const mt_tensor_view *', x)
  return view.storage.data + view.offset * x:elementSize()
end

local function numberOf(x)
  local number = x:device():match '^cuda:(%d+)$'
  return number and number - 1
end

-- Whether elements may go over as they are.
local function isPlain(x, source)
  return C.dtypeOf(source) == C.dtypeOf(x) and source:nElement() == x:nElement() and x:nElement() > 0 and x:isContiguous()
    and source:isContiguous() and not C.tracked(x) and not C.tracked(source)
end

--- As `copy`, but returns at once where elements go between a CUDA device and a CPU tensor in pinned memory (`torch.cuda.pinned`) of the
-- same type, both contiguous. Such a CPU tensor is to be left alone until `torch.cuda.synchronize`, or an event after the copy.
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
    api.call('copyAsync', 'copy_to_device', number, addressOf(x), addressOf(source), bytes)
  else
    api.call('copyAsync', 'copy_to_host', number, addressOf(x), addressOf(source), bytes)
  end
  C.bumpVersion(x)
  return x
end

return copies
