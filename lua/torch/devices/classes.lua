--- Specifics of tensor and storage classes whose names contain a device kind, such as torch.CudaTensor.
-- @module torch.devices.classes
local C = require 'libmoontorch'
local kinds = require 'torch.devices.kinds'

local classes = {}

--- Returns the constructor of tensors of a dtype on devices of a kind.
-- @string kind
-- @int dtype from 0
-- @treturn function
function classes.tensors(kind, dtype)
  return function(...) return C.newTensorOn(kind, dtype, ...) end
end

--- Returns the constructor of storages.
-- @string kind
-- @int dtype from 0
-- @treturn function
function classes.storages(kind, dtype)
  return function(...) return C.newStorageOn(kind, dtype, ...) end
end

-- Adds the hooks of files, which may have been loaded before the class was created. `place` selects a result of
-- torch.file.tensors.onDevices.
local function addFileMethods(metatable, name, kind, place)
  for _, hook in ipairs { 'read', 'write' } do
    metatable[hook] = function(...) return select(place, require('torch.file.tensors').onDevices(name, kind))[hook](...) end
  end
end

--- Adds the kind's methods of tensors.
-- @tparam table metatable
-- @string name of the dtype, such as 'Float'
-- @string kind
function classes.addTensorMethods(metatable, name, kind)
  for key, method in pairs(kinds.methods(kind)) do metatable[key] = method end
  addFileMethods(metatable, name, kind, 1)
end

--- Adds the kind's methods of storages.
-- @tparam table metatable
-- @string name of the dtype
-- @string kind
function classes.addStorageMethods(metatable, name, kind) addFileMethods(metatable, name, kind, 2) end

return classes
