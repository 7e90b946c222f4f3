--- Packages that load their parts at their first use: unused parts cost neither time nor memory, and the collector doesn't visit them. The
-- list of the remaining parts is a single string, so that its names are not objects either.
-- @module torch.start.lazy_loader
local enumerate, isThere = require 'torch.start.enumerate', require 'torch.modules'.isThere

local debug, error, rawget, rawset, require, type = debug, error, rawget, rawset, require, type

-- Returns a substitute for a name from a package that is not installed: torch has names that autograd provides.
local function inPlaceOf(name, missing)
  return function() error(('%s: the package %s, which brings it, is not installed'):format(name, missing), 2) end
end

-- Loads the module of a line and adds the line's names to t, except fields that the program has set.
local function read(t, line)
  local module, names = line:match '(%S+): (.*)'
  if not module then
    local name, whole = line:match '(%S+) = (%S+)'
    local package = whole:match '^[^.]*'
    rawset(t, name, isThere(package) and require(whole) or inPlaceOf(name, package))
    return
  end
  local own = {}
  for name in names:gmatch '%S+' do own[name] = rawget(t, name) end
  local package = module:match '^[^.]*'
  if not isThere(package) then
    for name in names:gmatch '%S+' do rawset(t, name, own[name] or inPlaceOf(name, package)) end
    return
  end
  local values = require(module)
  if type(values) == 'function' then values(t, names) end
  for name in names:gmatch '%S+' do
    local value = own[name]
    if value == nil and type(values) == 'table' then value = values[name] end
    if value ~= nil then rawset(t, name, value) end
  end
end

--- Makes a package load its parts on demand. Completion and the global `pairs` know all their names, by `__names` in the metatable.
-- @tparam table t the package, or a table of methods
-- @string parts lines. `module: names`: these fields of the module become fields of t. Instead, the module may add them to t itself when it
--   is loaded; or it may be a function, which is called with t and the names. `name = module`: the module becomes a field of t.
-- @tparam[opt] function find (t, name) -> the value of any other name
-- @tparam[opt] function others adds the names that `find` knows to a list
return function(t, parts, find, others)
  parts = (' ' .. parts .. ' '):gsub('\n%s*', ' \n ')      -- a space on either side of each word
  local metatable = debug.getmetatable(t) or {}
  function metatable.__index(_, name)
    local word = type(name) == 'string' and ' ' .. name .. ' '
    if word and parts:find(word, 1, true) then
      for first, line, last in parts:gmatch '()([^\n]+)()' do
        if line:find(word, 1, true) then
          parts = parts:sub(1, first - 1) .. parts:sub(last + 1)      -- before it is loaded, because it may use its own names
          read(t, line)
          break
        end
      end
    elseif find then
      return find(t, name)
    end
    return rawget(t, name)
  end
  function metatable.__names()
    local list = {}
    for line in parts:gmatch '[^\n]+' do
      for name in (line:match ': (.*)' or line:match '(%S+) =' or ''):gmatch '%S+' do list[#list + 1] = name end
    end
    if others then others(list) end
    return list
  end
  setmetatable(t, metatable)
  enumerate(t)
end
