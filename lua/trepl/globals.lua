--- Global variables: who, import, and warnings about globals created by mistake.
-- @module trepl.globals
local globals = {}

local function describe(x)
  local torch = package.loaded.torch
  local class = type(torch) == 'table' and torch.typename and torch.typename(x)
  if class and (class:find '^torch%.%w+Tensor$' or class:find '^torch%.%w+Storage$') then
    return require 'torch.tensor.display'.line(x, class)
  end
  if class then return class end
  if type(x) == 'string' then return #x > 40 and '"' .. x:sub(1, 40) .. '..."' or '"' .. x .. '"' end
  if type(x) == 'table' then
    local n = 0
    for _ in next, x do n = n + 1 end
    return 'table - size: ' .. n
  end
  if type(x) == 'number' or type(x) == 'boolean' then return tostring(x) end
  return type(x)
end

--- Prints the variables, globals and locals of the loop, one per line.
-- @tparam[opt=false] boolean all also the initial ones
function globals.who(all)
  local start, names, values, width = rawget(_G, '_preloaded_') or {}, {}, {}, 0
  local function add(name, value)
    if values[name] == nil then names[#names + 1] = name end
    values[name] = describe(value)
    width = math.max(width, #name)
  end
  for name, value in next, _G do
    if type(name) == 'string' and (all or not start[name] and not name:find '^_%d$') then add(name, value) end
  end
  local locals = package.loaded['trepl.locals']
  for _, name in ipairs(locals and locals.names() or {}) do add(name, select(2, locals.get(name))) end
  table.sort(names)
  for _, name in ipairs(names) do io.stdout:write(('%-' .. width .. 's  %s\n'):format(name, values[name])) end
end

--- Requires a package and copies its fields into globals.
-- @tparam string name
-- @tparam[opt=false] boolean overwrite also replaces existing globals
function globals.import(name, overwrite)
  local package_ = _G.require(name)
  if type(package_) ~= 'table' then error("import: name: '" .. name .. "' gave a " .. type(package_) .. ', expected a table', 2) end
  for key, value in pairs(package_) do
    if overwrite or rawget(_G, key) == nil then rawset(_G, key, value) end
  end
end

local here = debug.getinfo(1, 'S').source

--- The place in the program that accessed a global: the first frame that is neither in this file nor native.
local function place()
  local level = 2
  while true do
    local info = debug.getinfo(level, 'Sl')
    if not info then return '?' end
    if info.what ~= 'C' and info.source ~= here then return info.short_src .. ':' .. info.currentline end
    level = level + 1
  end
end

--- Monitors the creation of globals and reads of undefined ones.
-- @param reaction true raises an error; a function is called with the name and 'newindex' or 'index'; default: writes a warning
function globals.monitor(reaction)
  local function report(name, what)
    if type(reaction) == 'function' then return reaction(name, what) end
    local text = (what == 'newindex' and 'created global ' or 'read undefined global ') .. tostring(name) .. ' at ' .. place()
    if reaction then error(text, 3) end
    io.stderr:write('warning: ', text, '\n')
  end
  local meta = getmetatable(_G) or {}
  local index = meta.__index
  meta.__newindex = function(t, name, value)
    report(name, 'newindex')
    rawset(t, name, value)
  end
  meta.__index = function(t, name)
    local value
    if type(index) == 'function' then value = index(t, name) elseif index then value = index[name] end
    if value == nil then report(name, 'index') end
    return value
  end
  setmetatable(_G, meta)
end

return globals
