--- The rules of the classes: how an optimiser on the tape updates its parameters. Files of algorithms add theirs.
--
-- A rule is a table with fields
--
-- * defaults: its options, and their values where a program sets none; `false` for no value
-- * counter: the field of a parameter's state that counts its steps, from 0
-- * each(x, gradient, options, state): a step of one parameter; x and the state are changed, the gradient is not. The state has the
--   counter's value before the step. Or instead
-- * launch(xs, gradients, lists, options, state, isFirst): a step of several parameters by an op on lists. `lists` are those of the
--   states' fields that `fields(options)` names, `state` is that of the first parameter; the others have the same key: `key(state)`, or the
--   counter. isFirst: the fields were new. scalars: the state's numbers and their first values; start(name, options): the first value of
--   a field, otherwise 0
-- * takesRows(options): present if the class accepts gradients of rows, see optim.rows; onlyRows: whether it accepts no others
-- * isElementwise: whether `each` treats all elements alike, so that it may have a vector of many parameters; then fields, scalars and
--   initial(name, x, options) describe the state (optim.gathered)
-- * search(opfunc, x, options, state): instead, a step that evaluates opfunc at several points; x is a vector of all parameters
-- * verify(where, options), verifyParameter(where, x): raise errors for options that exclude each other, and for parameters that the
--   algorithm can't update
-- * values: for options that are neither numbers nor booleans, functions (where, value) that raise an error for a wrong one
-- * otherSizes: the set of the state's tensors that have other sizes than the parameter
-- * module: the file that describes it
-- @module optim.rules
local check = require 'torch.check'
local begin = require 'optim.begin'

local rules = {}

local declared = {}

-- Options of every class.
local common = { maximize = false, masterWeights = false }

-- Least and largest values of options; a third entry excludes the largest.
local bounds = {
  beta1 = { 0, 1, true }, beta2 = { 0, 1, true }, rho = { 0, 1 }, clipThreshold = { 1 }, dampening = { -math.huge },
  beta2Decay = { -math.huge }, lambda = { -math.huge }, etaminus = { 0, 1, true }, etaplus = { 1 },
}

--- Adds a rule.
-- @string name of the class, without `optim.`
-- @tparam table rule
function rules.declare(name, rule)
  local known = {}
  for option, default in pairs(common) do known[option] = default end
  for option, default in pairs(rule.defaults) do known[option] = default end
  rule.known = known
  declared[name] = rule
end

--- Returns the rule of a class.
-- @string name of the class, without `optim.`
-- @treturn table
function rules.of(name) return declared[name] end

local function listed(known)
  local names = {}
  for name in pairs(known) do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, ', ')
end

local function checkNumber(where, name, value)
  local limits = bounds[name] or { 0 }
  local low, high, isOpen = limits[1], limits[2], limits[3]
  if type(value) == 'number' and value >= low and (not high or value < high or value == high and not isOpen) then return end
  local expected = not high and ('a number, %s or more'):format(low) or ('a number from %s to %s'):format(low, high)
  if low == -math.huge then expected = 'a number' elseif isOpen then expected = ('a number from %s to below %s'):format(low, high) end
  check.raise(('%s: %s, expected %s'):format(where, type(value) == 'number' and value or type(value), expected))
end

--- Checks an option.
-- @string where
-- @tparam table rule
-- @string name
-- @param value
-- @raise if the rule has no such option, or the value has another type or is out of range
function rules.checkOption(where, rule, name, value)
  local default = rule.known[name]
  if default == nil then
    local hint = begin.hint(name, rule.known)
    check.raise(('%s: %s, expected %s'):format(where, tostring(name), hint or 'one of ' .. listed(rule.known)))
  end
  where = ('%s: %s'):format(where, name)
  if rule.values and rule.values[name] then
    rule.values[name](where, value)
  elseif type(default) == 'boolean' then
    if type(value) ~= 'boolean' then check.raise(('%s: %s, expected true or false'):format(where, type(value))) end
  else
    checkNumber(where, name, value)
  end
end

--- Checks the options of a table.
-- @string where
-- @tparam table rule
-- @tparam table given
-- @string[opt] except a field that is no option
function rules.checkOptions(where, rule, given, except)
  for name, value in pairs(given) do
    if name ~= except then rules.checkOption(where, rule, name, value) end
  end
end

-- Whether a value is allowed, for the options of most classes: numbers and booleans.
local function isAllowed(rule, name, value)
  local default = rule.known[name]
  if type(default) == 'boolean' then return type(value) == 'boolean' and not (rule.values and rule.values[name]) end
  if type(default) ~= 'number' or type(value) ~= 'number' then return false end
  local limits = bounds[name]
  if not limits then return value >= 0 end
  local high = limits[2]
  return value >= limits[1] and (not high or value < high or value == high and not limits[3])
end

--- Checks the options of a table again, which the program may have changed: quickly, as steps do so.
-- @string where
-- @tparam table rule
-- @tparam table given
-- @string[opt] except a field that is no option
-- @raise as `checkOption`
function rules.recheckOptions(where, rule, given, except)
  for name, value in pairs(given) do
    if name ~= except and not isAllowed(rule, name, value) then rules.checkOption(where, rule, name, value) end
  end
end

--- Returns the value of every option.
-- @tparam table rule
-- @tparam table first its values count
-- @tparam table second then these
-- @treturn table a new one
function rules.options(rule, first, second)
  local options = {}
  for name, default in pairs(rule.known) do
    local value = first[name]
    if value == nil then value = second[name] end
    if value == nil then value = default end
    options[name] = value
  end
  return options
end

return rules
