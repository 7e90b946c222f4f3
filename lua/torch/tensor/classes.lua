--- Creates the classes of tensors and storages for torch.tensor: loaded when a program has its first tensor.
-- @module torch.tensor.classes
local C = require 'libmoontorch'
local class, tensors = require 'torch.class', require 'torch.tensor'
local element = require 'torch.index.element'
local enumerate = require 'torch.start.enumerate'
local hooks = require 'torch.class.hooks'
local types = require 'torch.devices.types'

-- `made`: what torch.index.watched needs for each class. `noted`: the function that it sets while watching, called for further classes.
local classes = { made = {} }

local function note(record)
  classes.made[#classes.made + 1] = record
  if classes.noted then classes.noted(record) end
end

local display
local function tostringTensor(t)
  display = display or require 'torch.tensor.display'
  return display.tensor(t)
end
local function tostringStorage(s)
  display = display or require 'torch.tensor.display'
  return display.storage(s)
end

local function copy(from, to)
  class.each(from, function(key, value) to[key] = value end)
end

local function sameObject(a, b) return C.pointer(a) == C.pointer(b) end

-- Additions for devices whose types have separate names, loaded when there is such a device.
local function devices() return require 'torch.devices.classes' end

local function newOf(kind, dtype)
  if kind then return devices().tensors(kind, dtype) end
  local newTensor = C.newTensor
  return function(...) return newTensor(dtype, ...) end
end

--- Creates the class of tensors of a dtype.
-- @tparam table torch gets the constructor
-- @tparam table methods shared by all classes of tensors
-- @int index position of the dtype
-- @string[opt] kind of the devices, whose types have separate names
-- @treturn table the metatable
function classes.tensors(torch, methods, index, kind)
  local info = C.dtypes[index]
  local name, dtype = info.torch, index - 1
  local metatable = {}
  copy(C.operators, metatable)
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
  if kind then devices().addTensorMethods(metatable, name, kind) end
  class.register('torch.' .. types.name(kind, name) .. 'Tensor', metatable, newOf(kind, dtype), nil, torch)
  hooks.share(metatable, methods)
  enumerate(metatable, methods)
  local added = tensors.fields and tensors.fields[metatable.__typename]
  if added then class.each(added, function(key, value) metatable[key] = value end) end
  note { metatable = metatable, byOps = element.newIndexByOps, reads = element.indexByOps(metatable.__index) }
  return metatable
end

-- Storages on the CPU may use a file or a pointer.
local function newStorageOf(kind, dtype)
  if kind then return devices().storages(kind, dtype) end
  local newStorage = C.newStorage
  return function(first, second, ...)
    if type(first) == 'string' then return require 'torch.file.mapped'.file(dtype, first, second, ...) end
    if second ~= nil and type(first) == 'number' then return require 'torch.file.mapped'.pointer(dtype, first, second) end
    return newStorage(dtype, first, second, ...)
  end
end

--- Creates the class of storages of a dtype; arguments as for `tensors`.
function classes.storages(torch, methods, index, kind)
  local info = C.dtypes[index]
  local name, dtype = info.torch, index - 1
  local metatable = {}
  copy(C.storageMethods, metatable)
  local newTensor = newOf(kind, dtype)
  local function tensorOver(s) return newTensor(s, 1, C.newStorage(4, { s:size() })) end
  local byOps
  metatable.__index, metatable.__newindex, byOps = element.storageIndex(metatable, name, tensorOver)
  metatable.__tostring = tostringStorage
  metatable.__len = metatable.size
  metatable.__eq = sameObject
  metatable.__gc = C.releaseStorage
  metatable.__pointer__ = C.pointer
  metatable.data = element.storageData(metatable, name)
  function metatable.elementSize() return info.size end
  if kind then devices().addStorageMethods(metatable, name, kind) end
  class.register('torch.' .. types.name(kind, name) .. 'Storage', metatable, newStorageOf(kind, dtype), nil, torch)
  hooks.share(metatable, methods)
  note { metatable = metatable, byOps = byOps }
  return metatable
end

return classes
