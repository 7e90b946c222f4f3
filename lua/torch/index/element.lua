--- x[key] and x[key] = value, and element pointers.
-- A numeric index of a vector reads and writes through FFI, so that loops over elements compile to machine code. Every other key calls the
-- C function, or, if the tape follows the tensor, recorded ops.
-- @module torch.index.element
local ffi = require 'ffi'
local C = require 'libmoontorch'
local canonical = require 'torch.index.canonical'
local class, extensions = require 'torch.class', require 'torch.extensions'

ffi.cdef [[
typedef struct {
  uint8_t *data;
  int64_t size;
  uint64_t version;
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
  int64_t size[8], stride[8];
} mt_tensor_view;
typedef struct { uint64_t magic; mt_storage_view *storage; } mt_storage_box_view;
]]

local cast, tonumber, type, getmetatable, floor = ffi.cast, tonumber, type, getmetatable, math.floor
local viewPtr, boxPtr = ffi.typeof 'const mt_tensor_view *', ffi.typeof 'const mt_storage_box_view *'
local cIndex, cNewIndex, tracked, newTensorAs = C.index, C.newIndex, C.tracked, C.newTensorAs
local registered = extensions.registered
-- The `kind` of a tensor whose elements FFI may access: its dtype, if its device is the CPU and no flag is set.
local plain = {}
for i, info in ipairs(C.dtypes) do plain[info.torch] = i - 1 end

-- Up to here a Lua number represents every integer. Positions are compared with it before the conversion to int64: 2^63 would wrap to a
-- negative one.
local exact, exactInteger = 2 ^ 53, 9007199254740992LL

-- Programs can get these functions from the metatables and call them with anything: a pointer may only be used if the value has exactly
-- this metatable. (The check costs nothing in compiled code, which has already checked the metatable to get here.)
local element = {}

--- The C type of a dtype's elements, by its name as in torch.<name>Tensor. Dtypes without a numeric C type are structures.
element.ctypes = {}
--- Whether C has a type of numbers for a dtype's elements, by the same name.
element.isNumber = {}
local ctypes, isNumber = element.ctypes, element.isNumber
local prefixes = { boolean = 'uint', ['unsigned integer'] = 'uint', ['signed integer'] = 'int' }
-- The least integer that a Lua number represents, of dtypes with larger ones.
local least = {}
for _, info in ipairs(C.dtypes) do
  local name, prefix = info.torch, prefixes[info.kind]
  local real = info.kind == 'real' and (info.size == 4 and 'float' or info.size == 8 and 'double')
  local complex = info.kind == 'complex' and (info.size == 8 and 'complex float' or 'complex')
  ctypes[name] = prefix and ('%s%d_t'):format(prefix, info.size * 8) or real or complex or 'mt_' .. name:lower()
  isNumber[name] = prefix ~= nil or real ~= false
  if prefix and info.size == 8 then least[name] = prefix == 'int' and -exactInteger or 0ULL end
  if not isNumber[name] and not complex then
    ffi.cdef(('typedef struct { uint%d_t bits; } %s;'):format(info.size * 8, ctypes[name]))
  end
end

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
    if type(key) == 'number' then return slowIndex(t, key) end
    return index(t, key)
  end
end

--- Returns `__index` of a class of tensors.
-- @tparam table methods by string keys: the metatable
-- @string name of the dtype, as in torch.<name>Tensor
function element.index(methods, name)
  if not isNumber[name] then
    return function(t, key)
      local method = methods[key]
      if method then
        if key == 'new' and getmetatable(t) == methods then return constructorOf(t, method) end
        return method
      end
      return slowIndex(t, key)
    end
  end
  local pointer = ffi.typeof('const ' .. ctypes[name] .. ' *')
  local lowest, readFloat, kind = least[name], canonical[name], plain[name]
  return function(t, key)
    local keyType = type(key)
    if keyType == 'number' then
      if getmetatable(t) ~= methods then return slowIndex(t, key) end
      local view = cast(viewPtr, t)
      if view.ndim == 1 and view.kind == kind and key >= 1 and key <= tonumber(view.size[0]) and floor(key) == key then
        local at = tonumber(view.offset) + (key - 1) * tonumber(view.stride[0])
        if readFloat then return readFloat(view.storage.data, at) end
        local value = cast(pointer, view.storage.data)[at]
        if not lowest then return value end
        local number = tonumber(value)
        if number < exact and number > -exact or value == exactInteger or value == lowest then return number end
        return value
      end
      return slowIndex(t, key)
    elseif keyType == 'table' and getmetatable(t) == methods and cast(viewPtr, t).flags == 0 then
      return cIndex(t, key)
    end
    local method = methods[key]
    if method then
      if key == 'new' and getmetatable(t) == methods then return constructorOf(t, method) end
      return method
    end
    return slowIndex(t, key)     -- a tail call: errors report the caller's line
  end
end

--- Returns `__newindex` of a class of tensors.
-- @tparam table metatable
-- @string name of the dtype
function element.newIndex(metatable, name)
  if not isNumber[name] or name == 'Bool' then
    return function(t, key, value) return slowNewIndex(t, key, value) end
  end
  local pointer, kind = ffi.typeof(ctypes[name] .. ' *'), plain[name]
  local mutableView = ffi.typeof 'mt_tensor_view *'
  if name == 'Float' or name == 'Double' then
    return function(t, key, value)
      if type(key) == 'number' and type(value) == 'number' and getmetatable(t) == metatable then
        local view = cast(mutableView, t)
        if view.ndim == 1 and view.kind == kind and key >= 1 and key <= exact and key < view.size[0] + 1 and floor(key) == key then
          local storage = view.storage
          cast(pointer, storage.data)[view.offset + (key - 1) * view.stride[0]] = value
          storage.version = storage.version + 1
          return
        end
      end
      return slowNewIndex(t, key, value)
    end
  end
  -- Numbers truncate to 64 bits and wrap to the width. For numbers outside 64 bits, NaN included, the C function has the rule.
  local wide = ffi.typeof 'int64_t'
  return function(t, key, value)
    if type(key) == 'number' and type(value) == 'number' and value >= -exact and value <= exact and getmetatable(t) == metatable then
      local view = cast(mutableView, t)
      if view.ndim == 1 and view.kind == kind and key >= 1 and key <= exact and key < view.size[0] + 1 and floor(key) == key then
        local storage = view.storage
        cast(pointer, storage.data)[view.offset + (key - 1) * view.stride[0]] = cast(wide, value)
        storage.version = storage.version + 1
        return
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
-- @tparam function tensorOver creates a vector over a storage, for dtypes without a C type
-- @treturn function __index
-- @treturn function __newindex
-- @treturn function __newindex by ops alone, so that a hook sees the write
function element.storageIndex(methods, name, tensorOver)
  local pointer = ffi.typeof(ctypes[name] .. ' *')
  local float = name == 'Float' or name == 'Double'
  local readable, writable = isNumber[name], isNumber[name] and name ~= 'Bool'
  local lowest, readFloat, wide = least[name], canonical[name], ffi.typeof 'int64_t'
  local function read(s, key)
    if type(key) == 'number' then
      local storage = held(s, methods, name)
      if not isPlace(storage, key) then key = truncatedPlace(storage, key) end
      if storage.device ~= 0 then return cIndex(tensorOver(s), key) end
      if readFloat then return readFloat(storage.data, key - 1) end
      if not readable then return tensorOver(s)[key] end
      local value = cast(pointer, storage.data)[key - 1]
      if not lowest then return value end
      if value <= exactInteger and value >= lowest then return tonumber(value) end
      return value
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
    if writable and type(value) == 'number' and (float or value >= -exact and value <= exact) and storage.device == 0 then
      if float then cast(pointer, storage.data)[key - 1] = value
      else cast(pointer, storage.data)[key - 1] = cast(wide, value) end
      storage.version = storage.version + 1
    else
      return cNewIndex(tensorOver(s), key, value)      -- a tail call: errors report the caller's line
    end
  end
  return read, write, writeByOps
end

return element
