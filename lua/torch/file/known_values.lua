--- Names for values that a closure holds but that no file can hold, or should copy: packages, classes, C functions.
-- A closure's upvalue `torch` is written as the name 'package:torch' and found again by that name.
-- @module torch.file.known_values
local class = require 'torch.class'

local known = {}

-- Names of the packages, and of fields of packages that are C functions or plain userdata; of several names the first in order.
local function namesOfPackages(isWritable)
  local names = {}
  local function offer(value, name)
    if names[value] == nil or name < names[value] then names[value] = name end
  end
  for packageName, package in pairs(package.loaded) do
    if type(package) == 'table' then
      for field, value in pairs(package) do
        if type(field) == 'string' and (type(value) == 'function' or type(value) == 'userdata') and not isWritable(value) then
          offer(value, 'field:' .. packageName .. ':' .. field)
        end
      end
      offer(package, 'package:' .. packageName)
    end
  end
  return names
end

--- A function that names values, valid as long as no package is loaded.
-- @tparam function isWritable whether files can hold a value
function known.namer(isWritable)
  local names = namesOfPackages(isWritable)
  return function(value)
    if value == nil then return nil end
    if names[value] then return names[value] end
    if type(value) ~= 'table' then return nil end
    local typename = rawget(value, '__typename') or getmetatable(value) and rawget(getmetatable(value), '__typename')
    if typename and class.getmetatable(typename) == value then return 'class:' .. typename end
    if typename and class.getconstructortable(typename) == value then return 'constructor:' .. typename end
  end
end

local find = {
  package = function(name) return require(name) end,
  class = class.getmetatable,
  constructor = class.getconstructortable,
  field = function(name)
    local packageName, field = name:match('^(.*):(.-)$')
    return require(packageName)[field]
  end,
}

--- The value of a name, or nil if there is none here.
-- @string name as the namer gave it
function known.value(name)
  local kind, rest = name:match('^(%a+):(.*)$')
  if not find[kind] then return nil end
  local good, value = pcall(find[kind], rest)
  return good and value or nil
end

return known
