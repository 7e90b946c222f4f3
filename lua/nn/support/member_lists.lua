--- Lists and dictionaries of modules or parameters: the methods that nn.ModuleList, ModuleDict, ParameterList and ParameterDict share.
-- A list has its members at positions from 1, a dictionary in fields; both find them by assignment (nn.support.members).
-- @module nn.support.member_lists
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local members, gradientName = require 'nn.support.members', require 'nn.support.gradient_name'

local lists = {}

-- How a class of members checks and stores one: `accept(where, name, value)` returns what is stored.
lists.modules = {
  accept = function(where, name, value)
    check.instance(where, name, value, 'a module')
    if not torch.isTypeOf(value, 'nn.Module') then check.raise(('%s: %s: a table, expected a module'):format(where, name)) end
    return value
  end,
  set = members.setChild,
  names = function(self) return rawget(self, '_childNames') end,
}

lists.parameters = {
  accept = function(where, name, value)
    check.tensor(where, name, value)
    return members.isParameter(value) and value or members.Parameter(value, value:isFloatingPoint())
  end,
  set = members.setParameter,
  names = function(self) return rawget(self, 'parameterNames') end,
}

-- Returns the names whose fields exist, in order.
local function namesOf(self, kind)
  local list = {}
  for _, name in ipairs(kind.names(self) or {}) do
    if rawget(self, name) ~= nil then list[#list + 1] = name end
  end
  return list
end

-- A call is an error, and so is Torch7's forward.
local function refuseCalls(class, part)
  function class:forward()
    check.raise(('%s: forward: a collection of %s, expected a call of one of them, such as %s'):format(torch.type(self), part,
      self.append and 'list[1](x)' or 'dictionary.name(x)'))
  end
end

--- Adds the methods of lists to a class.
-- @tparam table class
-- @tparam table kind lists.modules or lists.parameters
-- @string part for messages
function lists.asList(class, kind, part)
  refuseCalls(class, part)

  --- Appends one.
  -- @param value
  -- @return self
  function class:append(value)
    kind.set(self, #self + 1, kind.accept(torch.type(self) .. ': append', 'value', value))
    return self
  end

  --- Appends all of a list.
  -- @tparam table values a list, or another object of this class
  -- @return self
  function class:extend(values)
    local where, accepted = torch.type(self) .. ': extend', {}
    for i, value in ipairs(check.table(where, 'values', values)) do accepted[i] = kind.accept(where, 'values: number ' .. i, value) end
    for _, value in ipairs(accepted) do kind.set(self, #self + 1, value) end
    return self
  end

  --- Returns their number, which is also `#list`.
  -- @treturn int
  function class:size() return #self end

  --- Iterates over positions, from 1, and members.
  -- @treturn function
  -- @usage for i, member in list:iter() do print(i, member) end
  function class:iter()
    local i = 0
    return function()
      i = i + 1
      if self[i] ~= nil then return i, self[i] end
    end
  end

  function class:__newindex__(key, value)
    if type(key) ~= 'number' then return members.assigned(self, key, value) end
    local where = torch.type(self)
    check.int(where, 'index', key, { min = #self + 1, max = #self + 1 })
    kind.set(self, key, kind.accept(where, 'value', value))
    return true
  end

  function class:_stateName(field) return type(field) == 'number' and tostring(field - 1) or field end
end

local function checkKey(self, where, key, kind)
  local isKnown = false
  for _, name in ipairs(namesOf(self, kind)) do isKnown = isKnown or name == key end
  if type(key) ~= 'string' or key == '' or key:find '[.]' or key:find '^_' or not isKnown and self[key] ~= nil then
    check.raise(('%s: key: %s, expected a string without dots, and no other field or method'):format(where,
      type(key) == 'string' and ('%q'):format(key) or torch.type(key)))
  end
end

-- Returns the keys and values of a list of pairs, an object of this class, or a table by name, in order.
local function pairsOf(where, values)
  check.table(where, 'values', values)
  local list, names = {}, {}
  if values.items and torch.typename(values) then
    for name, value in values:items() do list[#list + 1] = { name, value } end
    return list
  end
  for i, pair in ipairs(values) do
    if type(pair) ~= 'table' or torch.typename(pair) then
      check.raise(('%s: values: entry %d: %s, expected a pair of a key and a value'):format(where, i, torch.type(pair)))
    end
    list[i] = { pair[1], pair[2] }
  end
  for name in pairs(values) do
    if type(name) == 'string' then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do list[#list + 1] = { name, values[name] } end
  return list
end

--- Adds the methods of dictionaries to a class.
-- @tparam table class
-- @tparam table kind lists.modules or lists.parameters
-- @string part for messages
function lists.asDictionary(class, kind, part)
  refuseCalls(class, part)

  --- Returns the keys, in the order of their first assignment.
  -- @treturn {string,...}
  function class:keys() return namesOf(self, kind) end

  --- Returns the members, in the order of the keys.
  -- @treturn table a list
  function class:values()
    local list = {}
    for i, name in ipairs(namesOf(self, kind)) do list[i] = self[name] end
    return list
  end

  --- Iterates over keys and members, in the order of the keys.
  -- @treturn function
  -- @usage for name, member in dictionary:items() do print(name, member) end
  function class:items()
    local names, i = namesOf(self, kind), 0
    return function()
      i = i + 1
      if names[i] then return names[i], self[names[i]] end
    end
  end

  --- Returns the number of members.
  -- @treturn int
  function class:size() return #namesOf(self, kind) end

  --- Adds members, or replaces those of the same keys, which stay where they are.
  -- @tparam table values a table by key, which is read in alphabetical order, a list of pairs, or another object of this class
  -- @return self
  function class:update(values)
    local where, accepted = torch.type(self) .. ': update', {}
    local list = pairsOf(where, values)
    for i, pair in ipairs(list) do
      checkKey(self, where, pair[1], kind)
      accepted[i] = kind.accept(where, pair[1], pair[2])
    end
    for i, pair in ipairs(list) do
      if rawget(self, pair[1]) ~= nil then
        rawset(self, pair[1], accepted[i])
      else
        kind.set(self, pair[1], accepted[i])
      end
    end
    return self
  end

  --- Removes a member and returns it.
  -- @string key
  -- @return the member
  -- @raise if there is none
  function class:pop(key)
    local where = torch.type(self) .. ': pop'
    if type(key) ~= 'string' or not rawget(self, key) then
      check.raise(('%s: key: %s, expected one of %s'):format(where, tostring(key), table.concat(namesOf(self, kind), ', ')))
    end
    local value = self[key]
    rawset(self, key, nil)
    rawset(self, gradientName[key], nil)
    return value
  end

  --- Removes all members.
  -- @return self
  function class:clear()
    for _, name in ipairs(namesOf(self, kind)) do self:pop(name) end
    return self
  end

  function class:__newindex__(key, value)
    if not rawget(self, '_childNames') or type(key) == 'string' and key:find '^_' then return false end
    if not C.isTensor(value) and not torch.isTypeOf(value, 'nn.Module') then return false end
    checkKey(self, torch.type(self), key, kind)
    kind.set(self, key, kind.accept(torch.type(self), key, value))
    return true
  end
end

return lists
