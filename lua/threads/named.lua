--- Values sent to another thread by name: packages, their fields, and classes.
-- @module threads.named
local guard, modules = require 'torch.check.guard', require 'torch.modules'

local named = {}

-- The class with this name, if it is defined here or its package defines it.
local function find(name, lookup)
  local class = require 'torch.class'
  local found = class[lookup](name)
  local prefix = not found and name:match '^(.*)%.[^.]*$'
  if prefix and modules.bring(prefix, function() return class[lookup](name) end) then found = class[lookup](name) end
  return found or error(('unknown Torch class <%s>: the thread must require the file that defines it first'):format(name), 0)
end

--- The metatable of a class.
-- @string name
function named.class(name) return find(name, 'getmetatable') end

local values = {}

function values.package(name) return _G.require(name) end
values.class = named.class
function values.constructor(name) return find(name, 'getconstructortable') end
function values.field(name)
  local packageName, field = name:match '^(.*):(.-)$'
  return _G.require(packageName)[field]
end

--- The folder of this library's files, in debug.getinfo's form; if there is none, a name that matches no file.
-- @treturn string
function named.folder() return guard.isInstalled and guard.folder or '@@' end

--- The value for a name.
-- @string text a kind, a colon and the rest
function named.value(text)
  local kind, rest = text:match '^(%a+):(.*)$'
  local value = values[kind](rest)
  if value == nil then error(('%s is not there in this thread'):format(rest), 0) end
  return value
end

return named
