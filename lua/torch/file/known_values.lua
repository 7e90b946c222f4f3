--- Names for values in a closure that a file cannot contain, or should not copy: packages, classes, C functions.
-- A closure's upvalue `torch` is written as the name 'package:torch', and the reader looks this name up.
-- @module torch.file.known_values
local class, modules = require 'torch.class', require 'torch.modules'

local known = {}

-- Calls offer(value, name) for every loaded package.
local function eachPackage(offer)
  for name, package in pairs(package.loaded) do
    if type(package) == 'table' then offer(package, name) end
  end
end

-- Of several names, the first in sorted order is used.
local function keepFirst(names, value, name)
  if names[value] == nil or name < names[value] then names[value] = name end
end

local function namesOfPackages()
  local names = {}
  eachPackage(function(package, name) keepFirst(names, package, 'package:' .. name) end)
  return names
end

-- Names of fields of packages that files cannot contain: C functions and plain userdata. A search of all packages takes milliseconds, so
-- the names are cached, and searched again if one is missing or has changed.
local fields = setmetatable({}, { __mode = 'k' })

local function nameOfField(value, isWritable)
  local name = fields[value]
  if name and known.value(name) == value then return name end
  for key in pairs(fields) do fields[key] = nil end
  eachPackage(function(package, packageName)
    for field, content in next, package do      -- `pairs` would load the package's other parts, and other packages with them
      if type(field) == 'string' and (type(content) == 'function' or type(content) == 'userdata') and not isWritable(content) then
        keepFirst(fields, content, 'field:' .. packageName .. ':' .. field)
      end
    end
  end)
  return fields[value]
end

local function nameOfClass(value)
  local metatable = getmetatable(value)
  local typename = rawget(value, '__typename') or type(metatable) == 'table' and rawget(metatable, '__typename')
  if not typename then return nil end
  if class.getmetatable(typename) == value then return 'class:' .. typename end
  if class.getconstructortable(typename) == value then return 'constructor:' .. typename end
end

--- Returns a function that names values, valid until another package is loaded.
-- @tparam function isWritable whether files can hold a value
function known.namer(isWritable)
  local packages
  return function(value)
    if value == modules.require then return 'field:torch.modules:require' end
    local kind = type(value)
    if kind == 'table' then
      packages = packages or namesOfPackages()
      return packages[value] or nameOfClass(value)
    elseif (kind == 'function' or kind == 'userdata') and not isWritable(value) then
      return nameOfField(value, isWritable)
    end
  end
end

local find = {
  package = function(name) return _G.require(name) end,      -- including a program's
  class = class.getmetatable,
  constructor = class.getconstructortable,
  field = function(name)
    local packageName, field = name:match('^(.*):(.-)$')
    return _G.require(packageName)[field]
  end,
}

--- Returns the value of a name, or nil if there is none in this program.
-- @string name from the namer
function known.value(name)
  local kind, rest = name:match('^(%a+):(.*)$')
  if not find[kind] then return nil end
  local good, value = pcall(find[kind], rest)
  return good and value or nil
end

return known
