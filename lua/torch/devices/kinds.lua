--- Kinds of devices, whose types of tensors have names of their own: which there are, and what brings them.
-- A device says which kind it is of. What else a class of its tensors has is in the module `torch.<kind>.methods`.
-- @module torch.devices.kinds
local C = require 'libmoontorch'
local modules = require 'torch.modules'

local types, kinds = require 'torch.devices.types', {}

local named = { cuda = 'torch.cuda' }      -- kind -> the module that finds and loads its library

--- Whether a device of a kind is there.
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

--- What a name of a type of some kind says, whether its devices are there or not.
-- @string name such as 'CudaDouble', without 'torch.' and what it is of
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

-- The kind that the name of a device or of a type says.
local function kindIn(name)
  local type, device = name:match '^(.*) on (.*)$'
  local kind = (device or name):match '^%l+'
  if kind and named[kind] then return kind end
  local _, ofType = kinds.parse(((type or name):gsub('^torch%.', ''):gsub('Tensor$', '')))
  return ofType
end

--- Loads the library that brings devices of a kind, where there is a module for that.
-- @string kind
-- @treturn boolean whether they are there now
-- @raise what is missing
function kinds.bring(kind)
  if not kinds.isThere(kind) and named[kind] then require(named[kind]).load() end
  return kinds.isThere(kind)
end

--- The same, by the name of a device or of a type of tensors: what the binding calls for a name that it does not know.
-- @string name
-- @treturn boolean whether something has been loaded
function kinds.bringNamed(name)
  local kind = kindIn(name)
  return kind ~= nil and not kinds.isThere(kind) and kinds.bring(kind)
end

--- The methods that tensors of a kind have and others lack.
-- @string kind
-- @treturn table by name
function kinds.methods(kind)
  local module = 'torch.' .. kind .. '.methods'
  return modules.isThere(module) and require(module) or {}
end

return kinds
