-- Lists the public names of torch, nn, optim and the other packages, and those that the reference lacks.
local reference = require 'trepl.reference'
local torch = require 'torch'

local names = {}

-- The public names of a table, including those that are loaded at first use.
local function keysOf(owner)
  local list, seen = {}, {}
  local function add(name)
    if type(name) == 'string' and not name:find '^_' and not seen[name] then
      seen[name] = true
      list[#list + 1] = name
    end
  end
  for name in next, owner do add(name) end
  local lazy = (debug.getmetatable(owner) or {}).__names
  for _, name in ipairs(type(lazy) == 'function' and lazy() or {}) do add(name) end
  table.sort(list)
  return list
end

-- The metatable of a class, from its constructor; nil for other values.
local function classOf(value)
  for _, get in ipairs { getmetatable, debug.getmetatable } do
    local metatable = (type(value) == 'table' or type(value) == 'userdata') and get(value)
    if type(metatable) == 'table' and type(rawget(metatable, '__typename')) == 'string' then return metatable end
  end
end

-- Methods of every class: creation, computation (a module's text for nn.declare) and serialisation of its objects.
local everywhere = {}
for name in ('new read write factory compute letsGo byFields declaredInit widens'):gmatch '%a+' do everywhere[name] = true end
-- Methods of containers of branches (nn.support.branches), which distribute inputs and gradients.
for name in ('collect count given join part'):gmatch '%a+' do everywhere[name] = true end

-- The methods of a class that its ancestors don't have.
local function ownMethods(metatable)
  local list, parent = {}, getmetatable(metatable)
  for _, key in ipairs(keysOf(metatable)) do
    local above = type(parent) == 'table' and parent[key] ~= nil
    if type(rawget(metatable, key)) == 'function' and not above and not everywhere[key] then list[#list + 1] = key end
  end
  return list
end

-- Tensors of all types share one documentation, `x:size`, and so do storages, `s:size`.
local function ownerOf(name)
  return name:find '^torch%.%w+Tensor$' and 'x' or name:find '^torch%.%w+Storage$' and 's' or name
end

-- Returns whether a table is a part of a package, not data.
local function isPart(value)
  for _, key in ipairs(keysOf(value)) do
    if type(value[key]) == 'function' or classOf(value[key]) then return true end
  end
  return false
end

-- Returns whether a field of torch is a package, which has its own names: torch.distributed.
local function isPackage(name, value)
  local field = name:match '^torch%.(%w+)$'
  return field and type(value) == 'table' and value == package.loaded['moontorch.' .. field]
end

-- Lists a name and its fields; a table with two names is listed under the first.
local function addTo(list, name, value, depth, met)
  if isPackage(name, value) then return end
  list[#list + 1] = name
  local class = classOf(value)
  if type(value) == 'table' and met[value] then return end
  if type(value) == 'table' then met[value] = true end
  if class and rawget(class, '__typename') == name then
    for _, key in ipairs(ownMethods(class)) do list[#list + 1] = ownerOf(name) .. ':' .. key end
  elseif not class and type(value) == 'table' and depth < 2 and name ~= 'torch.ops' and isPart(value) then
    for _, key in ipairs(keysOf(value)) do
      if not everywhere[key] then addTo(list, name .. '.' .. key, value[key], depth + 1, met) end
    end
  end
end

--- All public functions, classes with their methods, tables and values of a package.
-- @string package_ its name
-- @treturn {string,...}
function names.of(package_)
  local owner, list, met = require(package_), {}, {}
  for _, key in ipairs(type(owner) == 'table' and keysOf(owner) or {}) do addTo(list, package_ .. '.' .. key, owner[key], 1, met) end
  if package_ == 'torch' then
    for _, op in ipairs(torch.ops()) do
      if torch[op] == nil then list[#list + 1] = 'torch.' .. op end
    end
    local methods = torch.getmetatable 'torch.DoubleTensor'
    for _, key in ipairs(keysOf(methods)) do
      if torch[key] == nil and type(methods[key]) == 'function' then list[#list + 1] = 'x:' .. key end
    end
  end
  return list
end

--- The names of which pages of the reference have an example.
-- @treturn {[string]=table} the page of each name, with dots instead of colons, since methods can't always be told from functions
function names.shown()
  local shown = {}
  for _, package_ in ipairs(reference.packages()) do
    for _, page in ipairs(reference.pages(package_)) do
      for _, name in ipairs(page.names) do shown[name:gsub(':', '.')] = page end
    end
  end
  return shown
end

--- The names of a package that no page shows.
-- @string package_
-- @tparam {[string]=table} shown result of `shown`
-- @treturn {string,...}
function names.missing(package_, shown)
  local list = {}
  for _, name in ipairs(names.of(package_)) do
    if not shown[name:gsub(':', '.')] then list[#list + 1] = name end
  end
  return list
end

return names
