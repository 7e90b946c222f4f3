--- Types of tensors on devices whose types have names of their own: torch.CudaTensor holds floats, torch.CudaDoubleTensor doubles.
-- A device says which kind it is of; the names begin with it. What else such a class has is in the module `torch.<kind>.methods`.
-- @module torch.device_types
local C = require 'libmoontorch'
local installed = require 'torch.installed'

local types = {}

local named = { cuda = 'torch.cuda' }      -- kind -> the module that finds and loads its library

local positions = {}      -- 'Float' -> position among the dtypes
for i, info in ipairs(C.dtypes) do positions[info.torch] = i end

local function prefixOf(kind) return (kind:gsub('^%l', string.upper)) end

--- Whether a device of a kind is there.
-- @string kind
-- @treturn boolean
function types.isThere(kind)
  for _, known in ipairs(C.deviceKinds()) do
    if known == kind then return true end
  end
  return false
end

--- The name of a type, without 'torch.' and what it is of.
-- @tparam ?string kind nil for devices whose types have the plain names
-- @string dtype as in torch.<dtype>Tensor
-- @treturn string such as 'Cuda' or 'CudaDouble'
function types.name(kind, dtype)
  if not kind then return dtype end
  return prefixOf(kind) .. (dtype == 'Float' and '' or dtype)
end

local function ofKind(kind, name)
  local prefix = prefixOf(kind)
  if name:sub(1, #prefix) ~= prefix then return nil end
  local dtype = name:sub(#prefix + 1)
  return positions[dtype == '' and 'Float' or dtype]
end

--- What a name says, whether its devices are there or not.
-- @string name such as 'CudaDouble', without 'torch.' and what it is of
-- @treturn ?int the position of its dtype
-- @treturn ?string its kind; nil for the plain ones
function types.parse(name)
  if positions[name] then return positions[name] end
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
  local _, ofType = types.parse(((type or name):gsub('^torch%.', ''):gsub('Tensor$', '')))
  return ofType
end

--- Loads the library that brings devices of a kind, where there is a module for that.
-- @string kind
-- @treturn boolean whether they are there now
-- @raise what is missing
function types.bring(kind)
  if not types.isThere(kind) and named[kind] then require(named[kind]).load() end
  return types.isThere(kind)
end

--- The same, by the name of a device or of a type of tensors: what the binding calls for a name that it does not know.
-- @string name
-- @treturn boolean whether something has been loaded
function types.bringNamed(name)
  local kind = kindIn(name)
  return kind ~= nil and not types.isThere(kind) and types.bring(kind)
end

--- The methods that tensors of a kind have and others lack.
-- @string kind
-- @treturn table by name
function types.methods(kind)
  local module = 'torch.' .. kind .. '.methods'
  return installed(module) and require(module) or {}
end

return types
