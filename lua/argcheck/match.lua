--- Matches the arguments of a call with rules: in order, with optional ones possibly omitted, or by names in one table.
-- @module argcheck.match

local getmetatable, pairs, type = getmetatable, pairs, type

local match = {}

-- Why a value does not match a rule; nil if it matches.
local function refusal(check, rule, value)
  if value == nil then
    if rule.isOptional then return nil end
  elseif rule.type == nil or check.istype(value, rule.type) then
    if rule.check == nil or rule.check(value) then return nil end
    return { name = rule.name, value = value, refused = true }
  end
  return { name = rule.name, value = value, type = rule.type }
end

local function fits(check, rule, value)
  if value == nil then return rule.isOptional end
  return (rule.type == nil or check.istype(value, rule.type)) and (rule.check == nil or rule.check(value) and true)
end

-- Assigns the arguments from the a-th on to values[r], ...; optional rules that match are tried first. If no assignment matches, returns
-- the mistake of the attempt that matched the most arguments.
local function place(check, given, count, r, a, values, furthest)
  local rule = check.rules[r]
  if not rule then
    if a > count then return true end
    if a > furthest.at then furthest.at, furthest.mistake = a, { surplus = count, most = #check.rules } end
    return false
  end
  if a <= count and fits(check, rule, given[a]) then
    values[r] = given[a]
    if place(check, given, count, r + 1, a + 1, values, furthest) then return true end
    values[r] = nil
  elseif a > furthest.at and not (rule.isOptional and a > count) then
    furthest.at, furthest.mistake = a, refusal(check, rule, given[a])
  end
  return rule.isOptional and place(check, given, count, r + 1, a, values, furthest)
end

--- Arguments in order.
-- @tparam table check of argcheck.rules
-- @tparam table given the arguments
-- @int count number of arguments
-- @treturn ?table values by the rules' numbers
-- @treturn ?table the mistake, and the position that matching reached: `at`
function match.ordered(check, given, count)
  local values, furthest = {}, { at = 0 }
  if place(check, given, count, 1, 1, values, furthest) then return values end
  furthest.mistake.at = furthest.at
  return nil, furthest.mistake
end

--- Whether arguments may be a table of names: one table that is no object, whose keys are all names, after self.
-- @treturn ?table that table
function match.namesIn(check, given, count)
  local first = check.hasSelf and 2 or 1
  local names = given[first]
  if count ~= first or type(names) ~= 'table' or getmetatable(names) ~= nil then return nil end
  for key in pairs(names) do
    if type(key) ~= 'string' then return nil end
  end
  return names
end

--- Arguments by name.
-- @tparam table check
-- @param self the first argument, if the rules begin with self
-- @tparam table names
-- @treturn ?table values
-- @treturn ?table the mistake
function match.named(check, self, names)
  for key in pairs(names) do
    if not check.names[key] or key == 'self' and check.hasSelf then return nil, { unknown = key, at = 0 } end
  end
  local values = {}
  for r, rule in ipairs(check.rules) do
    local value = names[rule.name]
    if r == 1 and check.hasSelf then value = self end
    if not fits(check, rule, value) then
      local mistake = refusal(check, rule, value)
      mistake.at = r
      return nil, mistake
    end
    values[r] = value
  end
  return values
end

--- Fills absent values with defaults.
-- @tparam table check
-- @tparam table values
-- @treturn table values
function match.complete(check, values)
  local rules = check.rules
  for r = 1, #rules do
    local rule = rules[r]
    if values[r] == nil and rule.isOptional then
      if rule.default ~= nil then values[r] = rule.default
      elseif rule.defaultf then values[r] = rule.defaultf() end
    end
  end
  for r = 1, #rules do
    if values[r] == nil and rules[r].defaulta then values[r] = values[check.names[rules[r].defaulta]] end
  end
  return values
end

return match
