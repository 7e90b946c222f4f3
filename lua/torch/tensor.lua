--- The classes of tensors and storages: one of each a dtype, with the ops as methods. They are made when their dtype is first met, by a
-- program that names them or by C that has a result of theirs: most programs use three of the ten.
-- @module torch.tensor
local ffi = require 'ffi'
local C = require 'libmoontorch'
local class = require 'torch.class'
local element = require 'torch.element'
local enumerate = require 'torch.enumerate'
local shareWithHooks = require 'torch.hooks'

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

local function makeTensorClass(torch, index, info)
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
  local newTensor = C.newTensor
  local function constructor(...) return newTensor(dtype, ...) end
  class.register('torch.' .. name .. 'Tensor', metatable, constructor, nil, torch)
  shareWithHooks(metatable, tensors.methods)
  enumerate(metatable, tensors.methods)
  return metatable
end

local function makeStorageClass(torch, index, info)
  local name, dtype = info.torch, index - 1
  local metatable = {}
  for key, method in pairs(C.storageMethods) do metatable[key] = method end
  local function tensorOver(s) return C.newTensor(dtype, s, 1, C.newStorage(4, { s:size() })) end
  metatable.__index, metatable.__newindex = element.storageIndex(metatable, name, tensorOver)
  metatable.__tostring = tostringStorage
  metatable.__len = metatable.size
  metatable.__eq = sameObject
  metatable.__gc = C.releaseStorage
  metatable.__pointer__ = C.pointer
  metatable.data = element.storageData(metatable, name)
  function metatable.elementSize() return info.size end
  local newStorage = C.newStorage
  local function constructor(first, second, ...)
    if type(first) == 'string' then return require 'torch.mapped'.file(dtype, first, second, ...) end
    if second ~= nil and type(first) == 'number' then return require 'torch.mapped'.pointer(dtype, first, second) end
    return newStorage(dtype, first, second, ...)
  end
  class.register('torch.' .. name .. 'Storage', metatable, constructor, nil, torch)
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
  function methods.typeAs(x, other) return convert(x, typeOf('typeAs', 'self', x), typeOf('typeAs', 'tensor', other)) end
  function methods.real(x)
    return convert(x, typeOf('real', 'self', x), 'torch.' .. C.dtypes[C.defaultDType() + 1].torch .. 'Tensor')
  end
  function methods.isFloatingPoint(x)
    local name = typeOf('isFloatingPoint', 'self', x)
    return name == 'torch.FloatTensor' or name == 'torch.DoubleTensor' or name == 'torch.HalfTensor' or name == 'torch.BFloat16Tensor'
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
-- @treturn function makeClasses(i) for the dtype at position i
function tensors.install(torch)
  nameStructs()
  local tensorMetatables, storageMetatables = {}, {}
  local function makeClasses(i)
    if not tensorMetatables[i] then
      needStack(100)
      tensorMetatables[i] = makeTensorClass(torch, i, C.dtypes[i])
      storageMetatables[i] = makeStorageClass(torch, i, C.dtypes[i])
    end
    return tensorMetatables[i], storageMetatables[i]
  end
  local generator = { __pointer__ = C.pointer }
  class.register('torch.Generator', generator, C.newGenerator, nil, torch)
  C.setClasses(makeClasses, generator, boxInteger, isInteger)
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
