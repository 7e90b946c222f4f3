--- Tensors and storages for other languages: pointers to elements, C structs, handles by address.
-- The structs have the names and fields of Torch7's, so that FFI declarations for Torch7 work. They are snapshots of a tensor at the time
-- of the call: call `cdata` again after a resize. A pointer doesn't keep its tensor alive: the program must.
-- One field can be assigned, because programs pass a tensor's memory to another Lua state with it: `x:cdata().storage`.
-- @module torch.tensor.ffi_types
local ffi = require 'ffi'
local C = require 'libmoontorch'
local class, extensions = require 'torch.class', require 'torch.extensions'
local deviceTypes = require 'torch.devices.types'

local foreign = {}

-- Torch7's names; other kinds have the names of their elements.
local elementTypes = setmetatable({
  Byte = 'unsigned char', Char = 'char', Short = 'short', Int = 'int', Long = 'int64_t', Half = 'THHalf', Float = 'float',
  Double = 'double', Bool = 'unsigned char', BFloat16 = 'THHalf',
}, { __index = require('torch.index.element').ctypes })

local owners = setmetatable({}, { __mode = 'v' })        -- address of a struct -> tensor or storage

local function addressOf(pointer) return tonumber(ffi.cast('intptr_t', pointer)) end

-- Returns the storage whose struct is at a pointer, or that was retained at an address, possibly in another Lua state.
local function storageAt(pointer, kind)
  local own = owners[addressOf(pointer)]
  if own ~= nil then return own end
  for i, info in ipairs(C.dtypes) do
    if info.torch == kind then return (C.adopt(addressOf(pointer), 'storage', i - 1, nil, true)) end
  end
end

-- Sets a tensor's storage through its struct. If the new storage is nil, the old one is retained: the program has its address, and passes
-- it to a tensor in another state.
local function setStorage(struct, pointer)
  local tensor = owners[addressOf(struct)]
  if not C.isTensor(tensor) then error('cdata: storage: this struct shows no tensor', 3) end
  if pointer == nil then
    local storage = tensor:storage()
    if storage then C.retain(storage) end
    tensor:set()
  else
    local storage = storageAt(pointer, C.dtypeOf(tensor))
    tensor:set(storage, tensor:storageOffset(), tensor:size(), tensor:stride())
  end
  struct.storage_ = pointer
end

-- Replaces the field `storage`: as no field has this name, assignments are detected.
local tensorFields = {
  __index = function(struct, name)
    if name == 'storage' then return struct.storage_ end
    error(("cdata: a tensor's struct has no field %s"):format(tostring(name)), 2)
  end,
  __newindex = function(struct, name, value)
    if name ~= 'storage' then error(("cdata: a tensor's struct has no field %s"):format(tostring(name)), 2) end
    setStorage(struct, value)
  end,
}

-- Declares C types, or keeps those that the program has declared itself.
local function declare(text) pcall(ffi.cdef, text) end

-- Kind of element -> the C types; created at the first use, because most programs never use them.
local structs = setmetatable({}, {
  __index = function(known, kind)
    declare 'typedef struct THHalf { unsigned short x; } THHalf;'
    declare((([[
      typedef struct TH@Storage {
        $ *data; ptrdiff_t size; int refcount; char flag; void *allocator; void *allocatorContext; struct TH@Storage *view;
      } TH@Storage;
      typedef struct TH@Tensor {
        int64_t *size; int64_t *stride; int nDimension; TH@Storage *storage_; ptrdiff_t storageOffset; int refcount; char flag;
      } TH@Tensor;
    ]]):gsub('@', kind):gsub('%$', elementTypes[kind])))
    pcall(ffi.metatype, 'TH' .. kind .. 'Tensor', tensorFields)
    known[kind] = {
      tensor = ffi.typeof('TH' .. kind .. 'Tensor'), tensorPointer = ffi.typeof('TH' .. kind .. 'Tensor *'),
      storage = ffi.typeof('TH' .. kind .. 'Storage'), storagePointer = ffi.typeof('TH' .. kind .. 'Storage *'),
      element = ffi.typeof(elementTypes[kind] .. ' *'),
      hasAccessor = ffi.offsetof('TH' .. kind .. 'Tensor', 'storage_') ~= nil,      -- a program may have declared the struct itself
    }
    return known[kind]
  end,
})

local RESIZABLE = 7      -- Torch7's flags: counted, resizable, memory is freed
local int64s = ffi.typeof 'int64_t[?]'

local pictures = setmetatable({}, { __mode = 'k' })      -- tensor or storage -> the data of its struct

local function keep(x, picture, struct)
  pictures[x] = picture
  owners[addressOf(struct)] = x
end

local kindOf = C.dtypeOf

local function pictureStorage(storage, kind)
  local types = structs[kind]
  local struct = types.storage()
  struct.data, struct.size = ffi.cast(types.element, storage:data()), #storage
  struct.refcount, struct.flag = 1, RESIZABLE
  return struct
end

local function storageStruct(storage)
  local kind = kindOf(storage)
  local picture = pictures[storage] or { struct = structs[kind].storage() }
  ffi.copy(picture.struct, pictureStorage(storage, kind), ffi.sizeof(structs[kind].storage))
  local pointer = ffi.cast(structs[kind].storagePointer, picture.struct)
  keep(storage, picture, pointer)
  return pointer
end

local function tensorStruct(t)
  local kind = kindOf(t)
  local types = structs[kind]
  local picture = pictures[t] or { struct = types.tensor() }
  local struct, dim, storage = picture.struct, t:dim(), t:storage()
  picture.size, picture.stride = int64s(dim), int64s(dim)
  for d = 1, dim do picture.size[d - 1], picture.stride[d - 1] = t:size(d), t:stride(d) end
  struct.size, struct.stride, struct.nDimension = picture.size, picture.stride, dim
  picture.storage, picture.owner = storage and pictureStorage(storage, kind), storage      -- `owners` refers weakly to the storage
  if types.hasAccessor then struct.storage_ = picture.storage else struct.storage = picture.storage end
  if storage then owners[addressOf(ffi.cast(types.storagePointer, picture.storage))] = storage end
  struct.storageOffset, struct.refcount, struct.flag = t:storageOffset() - 1, 1, 1
  local pointer = ffi.cast(types.tensorPointer, struct)
  keep(t, picture, pointer)
  return pointer
end

--- Returns a tensor as `THFloatTensor *`, or a storage as `THFloatStorage *` (with the kind of its elements); torch.cdata and the method
-- cdata.
-- @tparam ?torch.Tensor|torch.Storage x
-- @bool[opt] asNumber the address instead, as an FFI integer
-- @return the pointer, valid until x is collected; nil for nil
function foreign.cdata(x, asNumber)
  if x == nil then return nil end
  local pointer
  if C.isTensor(x) then
    pointer = tensorStruct(x)
  elseif C.isStorage(x) then
    pointer = storageStruct(x)
  else
    error('cdata: x: ' .. class.type(x) .. ', expected a tensor or storage', 2)
  end
  if asNumber then return ffi.cast('intptr_t', pointer) end
  return pointer
end

--- Returns the tensor or storage whose struct is at a pointer, for functions that accept a result of `cdata`.
-- @tparam cdata|number pointer
-- @return the object, or nil if it was freed or the pointer is not from `cdata`
function foreign.owner(pointer) return owners[addressOf(pointer)] end

--- Returns the address of the first element as a pointer to the element's C type; torch.data.
-- @tparam ?torch.Tensor|torch.Storage x
-- @bool[opt] asNumber the address instead, as an FFI integer
-- @return the pointer; nil for nil, and if there is no storage
function foreign.data(x, asNumber)
  if x == nil then return nil end
  if not C.isTensor(x) and not C.isStorage(x) then error('data: x: ' .. class.type(x) .. ', expected a tensor or storage', 2) end
  local pointer = x:data()
  if asNumber and pointer ~= nil then return ffi.cast('intptr_t', pointer) end
  return pointer
end

-- Handles that pushudata created from an object that nobody had retained: the first retain on them provides the missing reference.
local borrowed = setmetatable({}, { __mode = 'k' })

--- Adds a reference, which `free` releases, or which `torch.pushudata` takes over in any Lua state of the process.
-- @return x
function foreign.retain(x)
  if borrowed[x] then
    borrowed[x] = nil
    return x
  end
  return C.retain(x)
end

--- Releases a reference. Without an earlier `retain` a tensor becomes empty at once.
foreign.free = C.free

local kindNumbers = {}
for i, info in ipairs(C.dtypes) do
  kindNumbers['torch.' .. info.torch .. 'Tensor'] = { 'tensor', i - 1 }
  kindNumbers['torch.' .. info.torch .. 'Storage'] = { 'storage', i - 1 }
end

-- Does the same for a type on devices of a kind.
local function onDevices(name)
  local type, what = tostring(name):match '^torch%.(%w*)(Tensor)$'
  if not type then type, what = tostring(name):match '^torch%.(%w*)(Storage)$' end
  if not type then return nil end
  local dtype, kind = deviceTypes.parse(type)
  return kind and { what:lower(), dtype - 1, kind }
end

-- Does the same for a class of a package above torch.
local function ofPackage(name)
  local package = tostring(name):match '^([^.]*)%.'
  local classes = package and extensions.get('addresses.' .. package)
  return classes and classes[name]
end

--- Creates an object from an address that `torch.pointer` returned, possibly in another Lua state. It takes over a reference of `retain`;
-- without one, the object at the address must still live.
-- @tparam number|cdata pointer
-- @string name class: a tensor, a storage, or a container of tds
-- @return the object; a tensor shares its elements with the original, and has separate sizes
-- @raise if the retained object is of another class
function foreign.pushudata(pointer, name)
  local kind = kindNumbers[name] or onDevices(name) or ofPackage(name)
  if not kind then error("pushudata: name: '" .. tostring(name) .. "', expected a class of tensors, storages or tds", 2) end
  if type(pointer) == 'cdata' then pointer = tonumber(ffi.cast('intptr_t', pointer)) end
  local good, x, retained = pcall(C.adopt, pointer, kind[1], kind[2], kind[3])
  if not good then error(x, 2) end
  if not retained then borrowed[x] = true end
  return x
end

return foreign
