--- The classes of tensors and storages: one of each a dtype, with the ops as methods. They are made when their dtype is first met, by a
-- program that names them or by C that has a result of theirs: most programs use three of the ten.
-- @module torch.tensor
local ffi = require 'ffi'
local C = require 'libmoontorch'
local class = require 'torch.class'
local element = require 'torch.element'
local enumerate = require 'torch.enumerate'
local shareWithHooks = require 'torch.hooks'
local types = require 'torch.device_types'

-- What all classes of tensors share, and all of storages.
local tensors = { methods = C.methods, storageMethods = {} }

-- 2^53 and more come as FFI integers: their halves go over exactly.
local int64 = ffi.typeof 'int64_t'
local function boxInteger(high, low) return int64(high) * 4294967296LL + int64(low) end
local uint64 = ffi.typeof 'uint64_t'
local function isInteger(x) return ffi.istype(int64, x) or ffi.istype(uint64, x) end

--- Adds methods to every class of tensors.
-- @tparam table methods by name
function tensors.addMethods(methods)
  for name, method in pairs(methods) do rawset(tensors.methods, name, method) end
end

local display
local function tostringTensor(t)
  display = display or require 'torch.display'
  return display.tensor(t)
end
local function tostringStorage(s)
  display = display or require 'torch.display'
  return display.storage(s)
end

local function sameObject(a, b) return C.pointer(a) == C.pointer(b) end

-- The function that makes tensors of a dtype: on the default device, or on one of a kind whose types have names of their own.
local function constructorOn(kind, dtype)
  if not kind then
    local newTensor = C.newTensor
    return function(...) return newTensor(dtype, ...) end
  end
  local newTensorOn = C.newTensorOn
  return function(...) return newTensorOn(kind, dtype, ...) end
end

-- What classes on devices have of their own: the kind's methods, and what files ask, as these were perhaps read before the class was made.
-- `place` is among the results of torch.file.tensors.onDevices.
local function addDeviceMethods(metatable, name, kind, place, methods)
  for key, method in pairs(methods) do metatable[key] = method end
  for _, hook in ipairs { 'read', 'write' } do
    metatable[hook] = function(...) return select(place, require('torch.file.tensors').onDevices(name, kind))[hook](...) end
  end
end

local function makeTensorClass(torch, index, info, kind)
  local name, dtype = info.torch, index - 1
  local metatable = {}
  for key, operator in pairs(C.operators) do metatable[key] = operator end
  metatable.__index = element.index(metatable, name)
  metatable.__newindex = element.newIndex(metatable, name)
  metatable.__tostring = tostringTensor
  metatable.__len = C.methods.size
  metatable.__eq = sameObject
  metatable.__gc = C.releaseTensor
  metatable.__pointer__ = C.pointer
  metatable.data = element.data(metatable, name)
  metatable.torch = C.functions
  function metatable.elementSize() return info.size end
  if kind then addDeviceMethods(metatable, name, kind, 1, types.methods(kind)) end
  class.register('torch.' .. types.name(kind, name) .. 'Tensor', metatable, constructorOn(kind, dtype), nil, torch)
  shareWithHooks(metatable, tensors.methods)
  enumerate(metatable, tensors.methods)
  return metatable
end

-- As constructorOn, of storages. Those on the CPU may be over a file or a pointer.
local function storageConstructorOn(kind, dtype)
  if kind then return function(...) return C.newStorageOn(kind, dtype, ...) end end
  local newStorage = C.newStorage
  return function(first, second, ...)
    if type(first) == 'string' then return require 'torch.mapped'.file(dtype, first, second, ...) end
    if second ~= nil and type(first) == 'number' then return require 'torch.mapped'.pointer(dtype, first, second) end
    return newStorage(dtype, first, second, ...)
  end
end

local function makeStorageClass(torch, index, info, kind)
  local name, dtype = info.torch, index - 1
  local metatable = {}
  for key, method in pairs(C.storageMethods) do metatable[key] = method end
  local newTensor = constructorOn(kind, dtype)
  local function tensorOver(s) return newTensor(s, 1, C.newStorage(4, { s:size() })) end
  metatable.__index, metatable.__newindex = element.storageIndex(metatable, name, tensorOver)
  metatable.__tostring = tostringStorage
  metatable.__len = metatable.size
  metatable.__eq = sameObject
  metatable.__gc = C.releaseStorage
  metatable.__pointer__ = C.pointer
  metatable.data = element.storageData(metatable, name)
  function metatable.elementSize() return info.size end
  if kind then addDeviceMethods(metatable, name, kind, 2, {}) end
  class.register('torch.' .. types.name(kind, name) .. 'Storage', metatable, storageConstructorOn(kind, dtype), nil, torch)
  shareWithHooks(metatable, tensors.storageMethods)
  return metatable
end

-- Raises the error of a stack that is about to overflow, before it would leave a class half made.
local function needStack(depth)
  if depth > 0 then needStack(depth - 1) end
end

jit.off(makeTensorClass)      -- as in torch.class
jit.off(makeStorageClass)

-- The class name of what must be a tensor.
local function typeOf(method, argument, x)
  if not C.isTensor(x) then
    local hint = argument == 'self' and ' (called with . instead of : ?)' or ''
    error(('%s: %s: %s came, a tensor was expected%s'):format(method, argument, class.type(x), hint), 3)
  end
  return class.typename(x)
end

-- x:type() and x:type(name); x:float() and its siblings.
local function conversions()
  local to, methods = C.functions.to, {}
  local function convert(x, own, name)
    if own == name then return x end
    return to(x, name)
  end
  function methods.type(x, name)
    local own = typeOf('type', 'self', x)
    if name == nil then return own end
    return convert(x, own, name)
  end
  function methods.typeAs(x, other)
    local own, wanted = typeOf('typeAs', 'self', x), typeOf('typeAs', 'tensor', other)
    if C.deviceKind(other) and x:device() ~= other:device() then return to(x, C.kindOf(other)) end
    return convert(x, own, wanted)
  end
  function methods.real(x)
    return convert(x, typeOf('real', 'self', x), require 'torch'.getdefaulttensortype())
  end
  function methods.isFloatingPoint(x)
    typeOf('isFloatingPoint', 'self', x)
    local name = C.dtypeOf(x)
    return name == 'Float' or name == 'Double' or name == 'Half' or name == 'BFloat16'
  end
  -- For code of ours: x itself where it has the dtype, else a copy on the device where it is. (x:long() is Torch7's: it comes to the CPU
  -- from a device whose types have names of their own.)
  function methods._as(x, dtype)
    typeOf('_as', 'self', x)
    if type(dtype) ~= 'string' then error(('_as: dtype: %s came, a name such as Long was expected'):format(class.type(dtype)), 2) end
    return C.dtypeOf(x) == dtype and x or to(x, dtype:lower())
  end
  for _, info in ipairs(C.dtypes) do
    local method, name = info.torch:lower(), 'torch.' .. info.torch .. 'Tensor'
    methods[method] = function(x) return convert(x, typeOf(method, 'self', x), name) end
  end
  return methods
end

-- Whether x has the sizes that a LongStorage lists.
local function isSize(x, sizes)
  typeOf('isSize', 'self', x)
  if not C.isStorage(sizes) then error('isSize: sizes: ' .. class.type(sizes) .. ' came, a LongStorage was expected', 2) end
  if x:dim() ~= #sizes then return false end
  for i = 1, #sizes do
    if x:size(i) ~= sizes[i] then return false end
  end
  return true
end

-- The names of Torch7's C structs, for programs that declare functions with them; `torch.foreign` completes them.
local function nameStructs()
  local names = {}
  for i, info in ipairs(C.dtypes) do
    names[i] = ('typedef struct TH@Tensor TH@Tensor; typedef struct TH@Storage TH@Storage;'):gsub('@', info.torch)
  end
  ffi.cdef(table.concat(names))
end

--- Tells C how to make the classes, whose constructors come into torch.
-- @tparam table torch
-- @treturn function makeClasses(i [, kind]) for the dtype at position i, on devices of a kind
function tensors.install(torch)
  nameStructs()
  local tensorMetatables, storageMetatables = {}, {}
  local function makeClasses(i, kind)
    local key = kind and kind .. i or i
    if not tensorMetatables[key] then
      needStack(100)
      tensorMetatables[key] = makeTensorClass(torch, i, C.dtypes[i], kind)
      storageMetatables[key] = makeStorageClass(torch, i, C.dtypes[i], kind)
    end
    return tensorMetatables[key], storageMetatables[key]
  end
  local generator = { __pointer__ = C.pointer }
  class.register('torch.Generator', generator, C.newGenerator, nil, torch)
  C.setClasses(makeClasses, generator, boxInteger, isInteger)
  C.setDeviceBringer(types.bringNamed)
  tensors.addMethods(conversions())
  local copy = C.methods.contiguous
  local function contiguous(x, ...)
    if select('#', ...) == 0 and C.isTensor(x) and x:isContiguous() then return x end
    return copy(x, ...)
  end
  tensors.addMethods { isSize = isSize, contiguous = contiguous, isTensor = C.isTensor }
  torch.numel = C.methods.nElement
  function torch.totable(x)
    if not C.isTensor(x) and not C.isStorage(x) then error('totable: x: obj must be a Storage or a Tensor', 2) end
    return x:totable()
  end
  return makeClasses
end

return tensors
