--- Modules that declare classes, functions and modules below them; `require` loads each of these at first use.
-- @module classic.module
local events = require 'classic.events'

local module = {}

-- module -> {name, classes, submodules, functions}, each a set of names
local contents = setmetatable({}, { __mode = 'k' })

-- The functions that all modules have, called as `M:class('X')`.
local Module = {}

local function declarer(kind)
  return function(self, name)
    local own = contents[self]
    if type(name) ~= 'string' then error(('%s: name: a %s, expected a string'):format(own.name, type(name)), 2) end
    if Module[name] then error(('%s: name: every module has a field %s'):format(own.name, name), 2) end
    own[kind][name] = true
  end
end

Module.class, Module.submodule, Module.moduleFunction = declarer 'classes', declarer 'submodules', declarer 'functions'

local function iterator(kind)
  return function(self)
    local names, i = {}, 0
    for name in pairs(contents[self][kind]) do names[#names + 1] = name end
    table.sort(names)
    return function()
      i = i + 1
      if names[i] then return names[i], self[names[i]] end
    end
  end
end

Module.classes, Module.submodules, Module.functions = iterator 'classes', iterator 'submodules', iterator 'functions'

function Module:name() return contents[self].name end

local function read(self, name)
  if Module[name] then return Module[name] end
  local own = contents[self]
  for _, kind in ipairs { 'classes', 'submodules', 'functions' } do
    if own[kind][name] then
      local value = require(own.name .. '.' .. name)
      rawset(self, name, value)
      return value
    end
  end
  error(('%s: no class, function or module %s'):format(own.name, tostring(name)), 2)
end

--- Creates a module and adds it to package.loaded.
-- @string name name for `require`
-- @treturn table
function module.make(name)
  if type(name) ~= 'string' then error(('classic.module: name: a %s, expected a string'):format(type(name)), 2) end
  local made = setmetatable({}, { __index = read, __tostring = function() return ('classic.module<%s>'):format(name) end })
  contents[made] = { name = name, classes = {}, submodules = {}, functions = {} }
  package.loaded[name] = made
  events.call(events.names.MODULE_INIT, made)
  return made
end

--- Whether a value is a module of this package.
-- @param x anything
-- @treturn bool
function module.is(x) return type(x) == 'table' and contents[x] ~= nil end

--- Prints what a module declares.
-- @param made a module
function module.list(made)
  local own = contents[made] or error(('classic.list: module: a %s, expected a module'):format(type(made)), 2)
  print(tostring(made))
  for _, kind in ipairs { 'submodules', 'classes', 'functions' } do
    local names = {}
    for name in pairs(own[kind]) do names[#names + 1] = name end
    table.sort(names)
    if #names > 0 then print(('  %s: %s'):format(kind, table.concat(names, ', '))) end
  end
end

return module
