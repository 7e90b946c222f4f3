--- Fields of a value, its metatables and the parents of its class, read only with rawget, so that none of the program's code runs.
-- @module trepl.fields
local fields = {}

--- Calls visit with every table that a field of x may be in: x itself, its metatables, and the parents of its class.
-- Stops as soon as visit returns something, and returns that.
-- @param x any value; a class's metatable represents its instances
-- @tparam function visit
-- @return what visit returned
function fields.eachLayer(x, visit)
  local seen, queue = {}, {}
  local function add(t)
    if type(t) == 'table' and not seen[t] then
      seen[t] = true
      queue[#queue + 1] = t
    end
  end
  local function addMeta(meta)
    if type(meta) ~= 'table' then return end
    if type(rawget(meta, '__metatable')) == 'table' then
      add(rawget(meta, '__metatable'))
    else
      add(rawget(meta, '__index'))
      if rawget(meta, '__typename') then add(meta) end       -- a torch class: the metatable holds the methods
    end
  end
  add(x)
  if type(x) == 'table' then add(rawget(x, '__index')) else addMeta(debug.getmetatable(x)) end
  local i = 1
  while queue[i] do
    local found = visit(queue[i])
    if found ~= nil then return found end
    addMeta(debug.getmetatable(queue[i]))
    i = i + 1
  end
end

--- The names in a table that Moontorch's packages load on demand.
-- @tparam table layer
-- @treturn {string,...}
function fields.lazyNames(layer)
  local meta = debug.getmetatable(layer)
  local names = type(meta) == 'table' and rawget(meta, '__names')
  return type(names) == 'function' and names() or {}
end

--- A field's value. Loads fields that Moontorch's packages load on demand.
-- @param x
-- @param key
-- @return nil if there is none
function fields.get(x, key)
  return fields.eachLayer(x, function(layer)
    local value = rawget(layer, key)
    if value ~= nil or type(key) ~= 'string' then return value end
    for _, name in ipairs(fields.lazyNames(layer)) do
      if name == key then
        local good, read = pcall(function() return layer[key] end)
        return good and read or nil
      end
    end
  end)
end

return fields
