--- Exchange of tensors with other libraries in the same process by DLPack (https://dmlc.github.io/dlpack), without copies.
-- A capsule holds one of DLPack's structures until a consumer takes it: `torch.fromDLPack`, or another library, to which the program passes
-- `capsule:release()`. A capsule that nobody took calls the structure's deleter when it is collected.
-- @module torch.tensor.dlpack
local ffi = require 'ffi'
local C = require 'libmoontorch'
local check, class = require 'torch.check', require 'torch.class'

local native = C.dlpack
local dlpack, capsules = {}, {}

-- The structures of dlpack.h; names of this library's own, as a program may declare those of the header itself.
ffi.cdef [[
typedef struct mt_DLTensor {
  void *data;
  struct { int32_t device_type, device_id; } device;
  int32_t ndim;
  struct { uint8_t code, bits; uint16_t lanes; } dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} mt_DLTensor;
typedef struct mt_DLManagedTensor {
  mt_DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct mt_DLManagedTensor *);
} mt_DLManagedTensor;
typedef struct mt_DLManagedTensorVersioned {
  struct { uint32_t major, minor; } version;
  void *manager_ctx;
  void (*deleter)(struct mt_DLManagedTensorVersioned *);
  uint64_t flags;
  mt_DLTensor dl_tensor;
} mt_DLManagedTensorVersioned;
]]

native.metatable.__index, native.metatable.__typename = capsules, 'torch.DLPack'

function native.metatable:__tostring()
  local address, versioned = native.capsuleAddress(self)
  if not address then return 'torch.DLPack (consumed)' end
  return ('torch.DLPack (%s)'):format(versioned and 'DLManagedTensorVersioned' or 'DLManagedTensor')
end

local function pointerOf(where, capsule, release)
  if not native.isCapsule(capsule) then check.raise(('%s: self: %s, expected a capsule'):format(where, class.type(capsule))) end
  local address, versioned = native.capsuleAddress(capsule, release)
  if not address then check.raise(where .. ': self: a capsule that was consumed, expected a new one: each is used once') end
  return ffi.cast(versioned and 'mt_DLManagedTensorVersioned *' or 'mt_DLManagedTensor *', address)
end

-- Capsules whose structures a program sees: by address, and by pointer, which keeps the capsule.
local byAddress, byPointer = setmetatable({}, { __mode = 'v' }), setmetatable({}, { __mode = 'k' })

-- A capsule's structure, which it keeps: a pointer with the fields of dlpack.h.
function capsules:pointer()
  local pointer = pointerOf('pointer', self)
  byAddress[native.capsuleAddress(self)], byPointer[pointer] = self, self
  return pointer
end

-- A capsule's structure, whose deleter the consumer then calls, once, from any thread.
function capsules:release() return pointerOf('release', self, true) end

function capsules:isConsumed()
  if not native.isCapsule(self) then check.raise(('isConsumed: self: %s, expected a capsule'):format(class.type(self))) end
  return native.capsuleAddress(self) == nil
end

--- Shares the elements of a tensor with another library of the process, as PyTorch's `to_dlpack`; also the method `x:dlpack()`. Each side
-- sees the other's writes. The memory lives until the consumer calls the structure's deleter, in any thread, also after the tensor, the
-- tensor's resizing (which gives it other memory) and the Lua state.
-- @tparam torch.Tensor x on the CPU or a GPU
-- @tparam[opt] table options `versioned = false`: the structure from before DLPack 1.0, for capsules "dltensor" of Python; `readOnly`: the
--   flag that asks consumers not to write
-- @treturn torch.DLPack a capsule, which is consumed once: `capsule:pointer()` returns its structure as a pointer with the fields of
--   dlpack.h, `capsule:release()` the same for a consumer that then owns it, and `capsule:isConsumed()` whether someone took it
-- @raise if x requires a gradient or is on another device
-- @usage local capsule = x:dlpack()
-- library.consume(capsule:release())
function dlpack.toDLPack(x, options)
  if not C.isTensor(x) then check.raise(('torch.toDLPack: x: %s, expected a tensor'):format(check.describe(x))) end
  local asked = check.options('torch.toDLPack', options, { 'versioned', 'readOnly' })
  check.flag('torch.toDLPack', 'versioned', asked.versioned)
  check.flag('torch.toDLPack', 'readOnly', asked.readOnly)
  if asked.readOnly and asked.versioned == false then
    check.raise 'torch.toDLPack: readOnly: true, expected a structure with a version, which has flags'
  end
  if C.tracked(x) then
    check.raise 'torch.toDLPack: x: it requires a gradient, which writes of others would make wrong; expected x:detach()'
  end
  return check.call(native.toDLPack, x, asked.versioned ~= false, asked.readOnly or false)
end

dlpack.dlpack = dlpack.toDLPack

-- Whether a pointer's structure has a version; nil if the pointer's type doesn't tell.
local function isVersioned(pointer)
  local name = tostring(ffi.typeof(pointer))
  if name:find 'DLManagedTensorVersioned [*&]' then return true end
  if name:find 'DLManagedTensor [*&]' then return false end
end

-- A capsule for the structure at a program's pointer, and whether it is one whose `pointer` the program called.
local function capsuleOver(pointer, versioned)
  local known = isVersioned(pointer)
  if known == nil then known = versioned end
  if known == nil then
    check.raise(('torch.fromDLPack: source: %s, expected a pointer to a DLManagedTensor or DLManagedTensorVersioned; ' ..
      'the option versioned tells which of them another pointer is'):format(tostring(ffi.typeof(pointer)):match '<(.*)>'))
  end
  local good, address = pcall(function() return tonumber(ffi.cast('intptr_t', pointer)) end)
  if not good or address < 65536 then check.raise 'torch.fromDLPack: source: it does not point to a structure' end
  local seen = byAddress[address]
  if seen and native.capsuleAddress(seen) == address then return seen, true end
  return native.capsuleOver(address, known)
end

local copies = { [true] = 2, [false] = 1 }

--- Creates a tensor over the elements of another library of the process, as PyTorch's `from_dlpack`. Each side sees the other's writes.
-- The tensor's storage then owns the structure and calls its deleter once. Memory that a tensor can't share is copied: memory that is
-- read-only, has negative strides (NumPy's `x[::-1]`) or misaligned elements. Without dimensions the tensor has size 1.
-- @tparam torch.DLPack|cdata source a capsule, a pointer to a `DLManagedTensorVersioned` or `DLManagedTensor`, or a tensor. After an error
--   the structure still belongs to the caller
-- @tparam[opt] table options `copy`: true copies always, false never, with an error for memory that can't be shared; `versioned`: which of
--   the two structures a pointer of another type shows
-- @treturn torch.Tensor
-- @raise for a capsule that was consumed, other devices and element types, and structures without sense
-- @usage local x = torch.fromDLPack(capsule)
function dlpack.fromDLPack(source, options)
  local asked = check.options('torch.fromDLPack', options, { 'copy', 'versioned' })
  local copy = copies[check.flag('torch.fromDLPack', 'copy', asked.copy)] or 0
  check.flag('torch.fromDLPack', 'versioned', asked.versioned)
  if C.isTensor(source) then source = dlpack.toDLPack(source) end
  if native.isCapsule(source) then return check.call(native.fromDLPack, source, copy) end
  if type(source) ~= 'cdata' then
    check.raise(('torch.fromDLPack: source: %s, expected a capsule, a pointer to a structure of DLPack or a tensor')
      :format(check.describe(source)))
  end
  local capsule, isSeen = capsuleOver(source, asked.versioned)
  local good, result = pcall(native.fromDLPack, capsule, copy)
  if good then return result end
  if not isSeen then native.capsuleAddress(capsule, true) end      -- the program's again
  return check.call(error, result, 0)
end

return dlpack
