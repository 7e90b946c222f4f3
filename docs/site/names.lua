-- Which names programs can use, of torch, nn, optim and the other packages, and which of them the reference lacks.
local reference = require 'trepl.reference'
local torch = require 'torch'

local names = {}

-- The public names of a table, those that are read on demand included.
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

--- All public functions, classes, tables and values of a package.
-- @string package_ its name
-- @treturn {string,...} with the package's name in front
function names.of(package_)
  local owner, list = require(package_), {}
  for _, key in ipairs(type(owner) == 'table' and keysOf(owner) or {}) do list[#list + 1] = package_ .. '.' .. key end
  if package_ == 'torch' then
    for _, op in ipairs(torch.ops()) do
      if torch[op] == nil then list[#list + 1] = 'torch.' .. op end
    end
  end
  return list
end

--- The names that pages of the reference have an example of.
-- @treturn {[string]=table} the page of each
function names.shown()
  local shown = {}
  for _, package_ in ipairs(reference.packages()) do
    for _, page in ipairs(reference.pages(package_)) do
      for _, name in ipairs(page.names) do shown[name] = page end
    end
  end
  return shown
end

--- The names of a package that no page shows.
-- @string package_
-- @tparam {[string]=table} shown what `shown` gives
-- @treturn {string,...}
function names.missing(package_, shown)
  local list = {}
  for _, name in ipairs(names.of(package_)) do
    if not shown[name] then list[#list + 1] = name end
  end
  return list
end

return names
