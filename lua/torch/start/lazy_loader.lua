--- Packages that read their parts when these are first asked for: what a program does not use takes neither time nor memory, and is not
-- there for the collector to visit. What there is to read stays one text, so that its names are no objects either.
-- @module torch.start.lazy_loader
local enumerate, isThere = require 'torch.start.enumerate', require 'torch.modules'.isThere

local debug, error, rawget, rawset, require, type = debug, error, rawget, rawset, require, type

-- What stands for a name that another rock's package would bring: torch has names that come with autograd.
local function inPlaceOf(name, missing)
  return function() error(('%s: the package %s, which brings it, is not installed'):format(name, missing), 2) end
end

-- Reads what a line names, and puts it into t, but where a program has put something of its own.
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

--- Makes a package read its parts on demand. Completion and the global `pairs` know all their names, by `__names` in the metatable.
-- @tparam table t the package, or a table of methods
-- @string parts lines. `module: names` are fields of the module that are to be t's; or what it puts there itself, as it is read or,
-- where it is a function, called with t and the names. `name = module` is the module as a field of t.
-- @tparam[opt] function find (t, name) -> what has any other name
-- @tparam[opt] function others adds the names that `find` knows to a list
return function(t, parts, find, others)
  parts = (' ' .. parts .. ' '):gsub('\n%s*', ' \n ')      -- a blank on either side of each word
  local metatable = debug.getmetatable(t) or {}
  function metatable.__index(_, name)
    local word = type(name) == 'string' and ' ' .. name .. ' '
    if word and parts:find(word, 1, true) then
      for first, line, last in parts:gmatch '()([^\n]+)()' do
        if line:find(word, 1, true) then
          parts = parts:sub(1, first - 1) .. parts:sub(last + 1)      -- before it is read, as it may ask for its own names
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
