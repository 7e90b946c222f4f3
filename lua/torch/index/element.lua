--- x[key] and x[key] = value, and element pointers.
-- Elements, `v[i]` of vectors and `x[{ i, j, ... }]` with a position for each dimension, are read and written through FFI, so that loops
-- over elements compile to machine code. Every other key calls the C function, or, if the tape follows the tensor, recorded ops.
-- @module torch.index.element
local ffi = require 'ffi'
local C = require 'libmoontorch'
local places, values = require 'torch.index.places', require 'torch.index.values'
local class, extensions = require 'torch.class', require 'torch.extensions'

ffi.cdef [[
typedef struct {
  uint8_t *data;
  int64_t size;
  union {
    uint64_t version;
    uint16_t low_version;
  };
  int64_t references;
  size_t capacity;
  uint8_t dtype, device;
} mt_storage_view;
typedef struct {
  uint64_t magic;
  mt_storage_view *storage;
  int64_t offset;
  union {
    struct { uint8_t dtype, device; uint16_t flags; };
    int32_t kind;
  };
  int32_t ndim;
  uint64_t size[8];
  int64_t stride[8];
} mt_tensor_view;
typedef struct { uint64_t magic; mt_storage_view *storage; } mt_storage_box_view;
]]

local cast, tonumber, type, getmetatable, floor, ceil = ffi.cast, tonumber, type, getmetatable, math.floor, math.ceil
local viewPtr, boxPtr = ffi.typeof 'const mt_tensor_view *', ffi.typeof 'const mt_storage_box_view *'
local cIndex, cNewIndex, tracked, newTensorAs = C.index, C.newIndex, C.tracked, C.newTensorAs
local registered = extensions.registered
-- The `kind` of a tensor whose elements FFI may access: its dtype, if its device is the CPU and no flag is set.
local plain = {}
for i, info in ipairs(C.dtypes) do plain[info.torch] = i - 1 end

-- Up to here a Lua number represents every integer. Positions are compared with it before the conversion to int64: 2^63 would wrap to a
-- negative one.
local exact = 2 ^ 53

-- Programs can get these functions from the metatables and call them with anything: a pointer may only be used if the value has exactly
-- this metatable. (The check costs nothing in compiled code, which has already checked the metatable to get here.)
local element = {}

--- The metatables of the classes of tensors.
element.classes = {}

element.ctypes, element.isNumber = values.ctypes, values.isNumber
local ctypes = values.ctypes

-- Returns x.new for a tensor that is not on the CPU: it creates tensors on x's device.
local function makerAs(t)
  return function(...) return newTensorAs(t, ...) end
end
local function constructorOf(t, constructor)
  if cast(viewPtr, t).device == 0 then return constructor end
  return makerAs(t)      -- in another function, because a function that creates a closure does not compile
end

local function slowIndex(t, key)
  if type(key) == 'string' and not tonumber(key) then
    local tape = registered.tape
    local value = tape and tape.getField(t, key)
    if value ~= nil then return value end
    return require('torch.tensor.attributes').read(key)
  end
  if tracked(t) and C.gradMode() then return extensions.get('tape').index(t, key) end
  return cIndex(t, key)
end

local function slowNewIndex(t, key, value)
  if type(key) == 'string' and not tonumber(key) then
    local tape = registered.tape
    if tape and tape.setField(t, key, value) then return end
    return require('torch.tensor.attributes').write(t, key, value)
  end
  if C.gradMode() and (tracked(t) or tracked(value)) then return extensions.get('tape').newIndex(t, key, value) end
  return cNewIndex(t, key, value)      -- a tail call: errors report the caller's line
end

--- `__newindex` of any class of tensors, by ops alone, so that a hook sees the write.
function element.newIndexByOps(t, key, value) return slowNewIndex(t, key, value) end

--- Returns an `__index` whose elements are read by ops alone, so that a hook sees the read.
-- @tparam function index the native one
function element.indexByOps(index)
  return function(t, key)
    if type(key) == 'number' or type(key) == 'table' then return slowIndex(t, key) end
    return index(t, key)
  end
end

local int64 = ffi.typeof 'int64_t'

-- Returns the place of element `key` of a vector in its storage, counted from 0; nil if it has none.
local function placeInVector(view, key)
  if view.ndim == 1 and cast(int64, floor(key)) == cast(int64, ceil(key)) then      -- as torch.index.places says
    local at = cast(int64, key) - 1
    if at < view.size[0] then      -- unsigned: a position below 1 is beyond all sizes
      if view.stride[0] == 1 then return view.offset + at end
      return view.offset + at * view.stride[0]
    end
  end
end

-- Returns the place of the element for a table of positions; nil if it is for no element. The parentheses, here and below, prevent tail
-- calls: LuaJIT compiles no trace with more than 15.
local function placeOf(view, key)
  if getmetatable(key) == nil then return (places[view.ndim](view, key)) end
end

--- Returns `__index` of a class of tensors.
-- @tparam table methods by string keys: the metatable
-- @string name of the dtype, as in torch.<name>Tensor
function element.index(methods, name)
  local read, kind = values.reader(name), plain[name]
  element.classes[methods] = true
  return function(t, key)
    local keyType = type(key)
    if keyType == 'number' then
      if getmetatable(t) ~= methods then return slowIndex(t, key) end
      local view = cast(viewPtr, t)
      if view.kind == kind then
        local at = placeInVector(view, key)
        if at then return (read(view.storage.data, at)) end
        return cIndex(t, key)
      end
      return slowIndex(t, key)
    elseif keyType == 'table' and getmetatable(t) == methods then
      local view = cast(viewPtr, t)
      if view.kind == kind then
        local at = placeOf(view, key)
        if at then return (read(view.storage.data, at)) end
        return cIndex(t, key)
      end
      return slowIndex(t, key)
    end
    local method = methods[key]
    if method then
      if key == 'new' and getmetatable(t) == methods then return constructorOf(t, method) end
      return method
    end
    return slowIndex(t, key)     -- a tail call: errors report the caller's line
  end
end

-- Counts a write to a storage. Compiled code assumes that writes of 16 bits don't change the sizes and strides of tensors, so that a loop
-- reads them once.
local function countWrite(storage)
  storage.low_version = storage.low_version + 1
  if storage.low_version == 0 then storage.version = storage.version + 65536 end
end

--- Returns `__newindex` of a class of tensors.
-- @tparam table metatable
-- @string name of the dtype
function element.newIndex(metatable, name)
  local write, kind = values.writer(name), plain[name]
  local mutableView = ffi.typeof 'mt_tensor_view *'
  return function(t, key, value)
    local keyType = type(key)
    if (keyType == 'number' or keyType == 'table') and getmetatable(t) == metatable then
      local view = cast(mutableView, t)
      if view.kind == kind then
        local at
        if keyType == 'number' then at = placeInVector(view, key) else at = placeOf(view, key) end
        if at and write(view.storage.data, at, value) then
          countWrite(view.storage)
          return
        end
      end
    end
    return slowNewIndex(t, key, value)
  end
end

local function refuseOther(method, object, wanted)
  error(('%s: self: %s, expected a %s'):format(method, class.type(object), wanted), 3)
end

local function refuseElsewhere(object, device)
  local name = C.devices()[device + 1]
  error(('data: self: it is on %s, expected a %s on cpu; x:to \'cpu\' brings it'):format(name, object), 3)
end

--- Returns a function for the FFI pointer to the first element of a CPU tensor; nil if there is no memory. It does not keep the tensor
-- alive.
-- @tparam table metatable of the class
-- @string name of the dtype
function element.data(metatable, name)
  local pointer, size = ffi.typeof(ctypes[name] .. ' *'), ffi.sizeof(ctypes[name])
  return function(t)
    if getmetatable(t) ~= metatable then refuseOther('data', t, 'torch.' .. name .. 'Tensor') end
    local view = cast(viewPtr, t)
    local storage = view.storage
    local device = storage ~= nil and storage.device or view.device
    if device ~= 0 then refuseElsewhere('tensor', device) end
    if storage == nil then return nil end
    return cast(pointer, view.storage.data + view.offset * size)
  end
end

--- Returns an FFI view of a tensor's storage, nil if it has none; its field `data` is the current address of the memory. It does not keep
-- it alive.
-- @tparam torch.Tensor t
function element.storageOf(t)
  local view = cast(viewPtr, t)
  if view.storage ~= nil then return view.storage end
end

--- Records that the elements were changed through a pointer.
element.touch = C.bumpVersion

-- Returns the storage of a userdata; nil after it was released explicitly.
local function held(s, metatable, name)
  if getmetatable(s) ~= metatable then refuseOther('storage', s, 'torch.' .. name .. 'Storage') end
  return cast(boxPtr, s).storage
end

--- Does the same for a storage.
function element.storageData(metatable, name)
  local pointer = ffi.typeof(ctypes[name] .. ' *')
  return function(s)
    local storage = held(s, metatable, name)
    if storage == nil then return nil end
    if storage.device ~= 0 then refuseElsewhere('storage', storage.device) end
    return cast(pointer, storage.data)
  end
end

--- Returns whether a lent storage (`libmoontorch.lend`) still has the same memory and size.
function element.isLent(lent, storage)
  local then_, now = cast(boxPtr, lent).storage, cast(boxPtr, storage).storage
  return now ~= nil and then_.data == now.data and then_.size == now.size
end

local function refuseStorageKey(storage, key)
  if type(key) ~= 'number' then error('storage: index: ' .. type(key) .. ', expected a number', 3) end
  error('storage: index: ' .. key .. ' is out of bounds 1..' .. (storage ~= nil and tonumber(storage.size) or 0), 3)
end

local function isPlace(storage, key)
  return storage ~= nil and key >= 1 and key <= exact and key < storage.size + 1 and floor(key) == key
end

-- Returns the index for a fractional key, which is truncated. Other keys raise an error.
local function truncatedPlace(storage, key)
  local place = require('torch.check.whole').of('storage', 'index', key)
  if not place then error('storage: index: ' .. key .. ', expected a whole number', 3) end
  if isPlace(storage, place) then return place end
  return refuseStorageKey(storage, place)      -- a tail call, because it counts stack levels from here
end

--- Returns `__index` and `__newindex` of a class of storages.
-- @tparam table methods by string keys
-- @string name of the dtype
-- @tparam function tensorOver creates a vector over a storage
-- @treturn function __index
-- @treturn function __newindex
-- @treturn function __newindex by ops alone, so that a hook sees the write
function element.storageIndex(methods, name, tensorOver)
  local readElement, writeElement = values.reader(name), values.writer(name)
  local function read(s, key)
    if type(key) == 'number' then
      local storage = held(s, methods, name)
      if not isPlace(storage, key) then key = truncatedPlace(storage, key) end
      if storage.device ~= 0 then return cIndex(tensorOver(s), key) end
      return readElement(storage.data, key - 1)
    end
    local method = methods[key]
    if method == nil and type(key) ~= 'string' then refuseStorageKey(nil, key) end
    if method == nil and tonumber(key) then return read(s, tonumber(key)) end
    return method
  end
  local function writeByOps(s, key, value)
    if type(key) == 'string' then key = tonumber(key) or key end
    if type(key) ~= 'number' then refuseStorageKey(nil, key) end
    local storage = held(s, methods, name)
    if not isPlace(storage, key) then key = truncatedPlace(storage, key) end
    return cNewIndex(tensorOver(s), key, value)      -- a tail call: errors report the caller's line
  end
  local function write(s, key, value)
    if type(key) ~= 'number' then return writeByOps(s, key, value) end
    local storage = held(s, methods, name)
    if not isPlace(storage, key) then key = truncatedPlace(storage, key) end
    if storage.device == 0 and writeElement(storage.data, key - 1, value) then
      countWrite(storage)
    else
      return cNewIndex(tensorOver(s), key, value)      -- a tail call: errors report the caller's line
    end
  end
  return read, write, writeByOps
end

return element
