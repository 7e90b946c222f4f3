--- Reads declarations of arguments: converts argcheck's table to a table of options and a list of rules.
-- @module argcheck.rules
local env = require 'argcheck.env'

local known = {
  rule = { name = true, type = true, default = true, defaulta = true, defaultf = true, opt = true, check = true, help = true, doc = true },
  option = {
    help = true, doc = true, call = true, pack = true, nonamed = true, noordered = true, quiet = true, overload = true, force = true,
    debug = true, chain = true,
  },
}

local function fail(text, ...) error(('argcheck: ' .. text):format(...), 4) end

local function readRule(i, given, names)
  if type(given) ~= 'table' then fail('rule %d: a %s, expected a table { name =, type =, ... }', i, type(given)) end
  local rule = {}
  for key, value in pairs(given) do
    if not known.rule[key] then fail('rule %d: %s is no field of a rule', i, tostring(key)) end
    rule[key] = value
  end
  if type(rule.name) ~= 'string' then fail('rule %d: name: %s, expected a string', i, type(rule.name)) end
  if names[rule.name] then fail('%s: a second argument of this name', rule.name) end
  for field, kind in pairs { type = 'string', check = 'function', defaultf = 'function', defaulta = 'string' } do
    if rule[field] ~= nil and type(rule[field]) ~= kind then
      fail('%s: %s: a %s, expected a %s', rule.name, field, type(rule[field]), kind)
    end
  end
  local defaults = (rule.default ~= nil and 1 or 0) + (rule.defaulta ~= nil and 1 or 0) + (rule.defaultf ~= nil and 1 or 0)
  if defaults > 1 then fail('%s: more than one of default, defaulta and defaultf', rule.name) end
  rule.isOptional = defaults > 0 or rule.opt == true
  names[rule.name] = i
  return rule
end

--- Reads a declaration.
-- @tparam table given rules by number, options by name
-- @treturn table { rules, names, istype, and the options }
return function(given)
  if type(given) ~= 'table' then fail('a %s, expected a table of rules', type(given)) end
  local check = { rules = {}, names = {}, istype = env.istype }
  for key, value in pairs(given) do
    if type(key) == 'string' then
      if not known.option[key] then fail('%s is no option', key) end
      check[key] = value
    end
  end
  for i, rule in ipairs(given) do check.rules[i] = readRule(i, rule, check.names) end
  for _, rule in ipairs(check.rules) do
    if rule.defaulta and not check.names[rule.defaulta] then fail('%s: defaulta: no argument is called %s', rule.name, rule.defaulta) end
  end
  check.hasSelf = check.rules[1] ~= nil and check.rules[1].name == 'self'
  return check
end
