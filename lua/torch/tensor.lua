--- The classes of tensors and storages: one of each per dtype, with the ops as methods. They are created at the first use of their dtype,
-- by a program that names them or by C for a result: most programs use three of the ten.
-- @module torch.tensor
local ffi = require 'ffi'
local C = require 'libmoontorch'
local class = require 'torch.class'

-- The shared tables of all tensor classes, and of all storage classes.
require 'torch.start.complex'

local tensors = { methods = C.methods, storageMethods = {} }

-- Integers from 2^53 on arrive as FFI integers: they are passed exactly, as two halves.
local int64, uint64 = ffi.typeof 'int64_t', ffi.typeof 'uint64_t'
local function boxInteger(high, low, isUnsigned)
  local value = int64(high) * 4294967296LL + int64(low)
  return isUnsigned and uint64(value) or value
end
local istype, complexDoubles, complexFloats = ffi.istype, ffi.typeof 'complex', ffi.typeof 'complex float'
local function boxComplex(re, im) return complexDoubles(re, im) end
-- 0: no number, 1: an integer, 2: a complex number of doubles, 3: of floats.
local function kindOfNumber(x)
  if istype(int64, x) or istype(uint64, x) then return 1 end
  return istype(complexDoubles, x) and 2 or istype(complexFloats, x) and 3 or 0
end

--- Adds methods to every class of tensors.
-- @tparam table methods by name
function tensors.addMethods(methods)
  for name, method in pairs(methods) do rawset(tensors.methods, name, method) end
end

-- Raises a stack overflow error early, so that no class remains half created.
local function needStack(depth)
  if depth > 0 then needStack(depth - 1) end
end

-- The names of Torch7's C structs, for programs that declare functions with them; `torch.tensor.ffi_types` completes them. Programs call
-- THFloatStorage_free on a storage that they take out of a tensor's struct. Here only the tensor's own reference counts, so this name is an
-- alias of a C function that has no effect on a pointer.
local declarations = [[
  typedef struct TH@Tensor TH@Tensor; typedef struct TH@Storage TH@Storage; void TH@Storage_free(TH@Storage *storage) asm("abs");
]]

local function nameStructs()
  local names = {}
  for i, info in ipairs(C.dtypes) do names[i] = declarations:gsub('@', info.torch) end
  ffi.cdef(table.concat(names))
end

--- Passes the functions that create classes to C; constructors are added to torch.
-- @tparam table torch
-- @treturn function makeClasses(i [, kind]) for the dtype at position i, on devices of a kind
function tensors.install(torch)
  nameStructs()
  local tensorMetatables, storageMetatables = {}, {}
  local function makeClasses(i, kind)
    local key = kind and kind .. i or i
    if not tensorMetatables[key] then
      needStack(200)
      local classes = require 'torch.tensor.classes'
      tensorMetatables[key] = classes.tensors(torch, tensors.methods, i, kind)
      storageMetatables[key] = classes.storages(torch, tensors.storageMethods, i, kind)
    end
    return tensorMetatables[key], storageMetatables[key]
  end
  local generator = { __pointer__ = C.pointer }
  class.register('torch.Generator', generator, C.newGenerator, nil, torch)
  C.setClasses(makeClasses, generator, boxInteger, boxComplex, kindOfNumber)
  C.setTruncate(function(message, value) return require('torch.check.whole').truncate(message, value) end)
  C.setDeviceBringer(function(name) return require('torch.devices.kinds').bringNamed(name) end)
  C.setOtherForms(function(...) return require 'torch.names.named_options'(...) end)
  local copy = C.methods.contiguous
  local function contiguous(x, ...)
    if select('#', ...) == 0 and C.isTensor(x) and x:isContiguous() then return x end
    return copy(x, ...)
  end
  tensors.addMethods { contiguous = contiguous, isTensor = C.isTensor }
  torch.numel = C.methods.nElement
  function torch.totable(x)
    if not C.isTensor(x) and not C.isStorage(x) then error('totable: x: obj must be a Storage or a Tensor', 2) end
    return x:totable()
  end
  return makeClasses
end

return tensors
