--- Packages that read their parts when these are first asked for: what a program does not use takes neither time nor memory, and is not
-- there for the collector to visit.
-- @module torch.parts
local enumerate = require 'torch.enumerate'

local debug, next, rawget, rawset, require, type = debug, next, rawget, rawset, require, type

-- Puts what a module gives into t, but where a program has put something of its own.
local function read(t, waiting, module)
  local own = {}
  for name, source in next, waiting do
    if source == module then
      own[name] = rawget(t, name) or false
      waiting[name] = nil      -- before it is read, as it may ask for its own names
    end
  end
  local values = require(module)
  if type(values) == 'function' then values(t) end
  for name, value in next, own do
    if not value and type(values) == 'table' then value = values[name] end
    if value then rawset(t, name, value) end
  end
end
jit.off(read)      -- as in torch.class

--- Makes a package read its parts on demand. Completion and the global `pairs` know all their names, by `__names` in the metatable.
-- @tparam table t the package, or a table of methods
-- @tparam table fields module -> names, in one text: fields of the module that are to be t's, or what it puts there itself, as it is
-- read or, where it is a function, called with t
-- @tparam[opt={}] table modules name -> the module that is this field of t
-- @tparam[opt] function find (t, name) -> what has any other name
-- @tparam[opt] function others adds the names that `find` knows to a list
return function(t, fields, modules, find, others)
  local waiting = {}      -- name -> module
  for module, names in next, fields do
    for name in names:gmatch '%S+' do waiting[name] = module end
  end
  modules = modules or {}
  local metatable = debug.getmetatable(t) or {}
  function metatable.__index(_, name)
    if waiting[name] then
      read(t, waiting, waiting[name])
    elseif modules[name] then
      rawset(t, name, require(modules[name]))
    elseif find then
      return find(t, name)
    end
    return rawget(t, name)
  end
  function metatable.__names()
    local list = {}
    for _, names in next, { waiting, modules } do
      for name in next, names do list[#list + 1] = name end
    end
    if others then others(list) end
    return list
  end
  setmetatable(t, metatable)
  enumerate(t)
end
