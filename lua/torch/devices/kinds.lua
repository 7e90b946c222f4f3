--- Device kinds, whose tensor types have separate names: the available kinds, and the modules that load them. A device reports its kind.
-- The module `torch.<kind>.methods` has further methods of the kind's tensors.
-- @module torch.devices.kinds
local C = require 'libmoontorch'
local modules = require 'torch.modules'

local types, kinds = require 'torch.devices.types', {}

local named = { cuda = 'torch.cuda' }      -- kind -> the module that finds and loads its library

--- Returns whether there is a device of a kind.
-- @string kind
-- @treturn boolean
function kinds.isThere(kind)
  for _, known in ipairs(C.deviceKinds()) do
    if known == kind then return true end
  end
  return false
end

local function ofKind(kind, name)
  local prefix = types.prefix(kind)
  if name:sub(1, #prefix) ~= prefix then return nil end
  local dtype = name:sub(#prefix + 1)
  return types.position(dtype == '' and 'Float' or dtype)
end

--- Parses the name of a type with a kind, whether or not there are such devices.
-- @string name such as 'CudaDouble', without 'torch.' and 'Tensor' or 'Storage'
-- @treturn ?int the position of its dtype
-- @treturn ?string its kind
function kinds.parse(name)
  for kind in pairs(named) do
    local i = ofKind(kind, name)
    if i then return i, kind end
  end
  for _, kind in ipairs(C.deviceKinds()) do
    local i = ofKind(kind, name)
    if i then return i, kind end
  end
end

-- Returns the kind in the name of a device or of a type.
local function kindIn(name)
  local type, device = name:match '^(.*) on (.*)$'
  local kind = (device or name):match '^%l+'
  if kind and named[kind] then return kind end
  local _, ofType = kinds.parse(((type or name):gsub('^torch%.', ''):gsub('Tensor$', '')))
  return ofType
end

--- Loads the library for devices of a kind, if there is a module for it.
-- @string kind
-- @treturn boolean whether there are such devices now
-- @raise an error that names what is missing
function kinds.bring(kind)
  if not kinds.isThere(kind) and named[kind] then require(named[kind]).load() end
  return kinds.isThere(kind)
end

--- Does the same by the name of a device or of a tensor type: the binding calls it for an unknown name.
-- @string name
-- @treturn boolean whether something has been loaded
function kinds.bringNamed(name)
  local kind = kindIn(name)
  return kind ~= nil and not kinds.isThere(kind) and kinds.bring(kind)
end

--- Returns the methods that only tensors of this kind have.
-- @string kind
-- @treturn table by name
function kinds.methods(kind)
  local module = 'torch.' .. kind .. '.methods'
  return modules.isThere(module) and require(module) or {}
end

return kinds
