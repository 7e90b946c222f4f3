--- Checks of a function's arguments from one table of their names, types, defaults and help, for positional and named calls.
-- `argcheck { rules and options }` returns a function that checks its arguments and returns their values in the order of the rules, or
-- calls the option `call` with them.
--
-- A rule is { name =, type =, default =, defaulta =, defaultf =, opt =, check =, help = }: a type is Lua's, a class's or a pattern such as
-- 'torch.*Tensor' (without one, any value but nil); a default is a value, the name of an argument, or a function that returns a value.
-- Options: `help` or `doc`; `call`; `pack` (returns one table of the values by name); `nonamed`, `noordered`; `quiet` (returns true and the
-- values, or false and the message); `overload` (another function of argcheck, for calls that don't match), `force` (allows calls that
-- match both); `chain` (the same with any function); `debug` (a second result: the rules as a graph for graphviz).
-- @module argcheck
-- @usage local area = argcheck {
--   { name = 'width', type = 'number' }, { name = 'height', type = 'number', defaulta = 'width' },
--   call = function(width, height) return width * height end,
-- }
-- print(area(3), area(3, 4), area { height = 2, width = 5 })   --> 9  12  10
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local doc, match, readRules = require 'argcheck.doc', require 'argcheck.match', require 'argcheck.rules'
local usage = require 'argcheck.usage'
local raise = require('torch.check').raise

local select, unpack = select, unpack

local declared = setmetatable({}, { __mode = 'k' })      -- function -> its declarations, the newest first

-- Returns the values of a call, or the mistake. An empty table is a named call if every argument is optional; otherwise it is a value.
local function read(check, count, ...)
  local given = { ... }
  local names = not check.nonamed and match.namesIn(check, given, count)
  local values, mistake, wrongName
  if names then
    values, wrongName = match.named(check, given[1], names)
    if values then return values end
  end
  if not check.noordered then values, mistake = match.ordered(check, given, count) end
  return values, wrongName or mistake
end

local function packed(check, values)
  local byName = {}
  for r, rule in ipairs(check.rules) do byName[rule.name] = values[r] end
  return byName
end

local function deliver(check, values)
  match.complete(check, values)
  if check.pack then
    local byName = packed(check, values)
    if check.call then return check.call(byName) end
    return byName
  end
  if check.call then return check.call(unpack(values, 1, #check.rules)) end
  return unpack(values, 1, #check.rules)
end

local function message(checks, mistake)
  local texts = {}
  for i, check in ipairs(checks) do texts[i] = usage.text(check) end
  return table.concat(texts, '\n\nor\n\n') .. '\ninvalid arguments!' .. usage.mistake(mistake)
end

local function call(checks, ...)
  local count, furthest = select('#', ...), nil
  for i = 1, #checks do
    local values, mistake = read(checks[i], count, ...)
    if values then
      if checks[1].quiet then return true, deliver(checks[i], values) end
      return deliver(checks[i], values)
    end
    if not furthest or mistake.at > furthest.at then furthest = mistake end
  end
  local chain = checks[#checks].chain
  if chain then return chain(...) end
  local text = message(checks, furthest)
  if checks[1].quiet then return false, text end
  raise(text)
end

local function listed(check)
  local checks = { check }
  if not check.overload then return checks end
  local others = declared[check.overload] or error('argcheck: overload: expected a function that argcheck made', 3)
  for _, other in ipairs(others) do
    local common = not check.force and require('argcheck.overload').common(check, other)
    if common then
      error(('argcheck rules led to ambiguous situations: both take (%s); force = true permits it'):format((common:gsub(',$', ''))), 3)
    end
    checks[#checks + 1] = other
  end
  return checks
end

return function(declaration)
  local check = readRules(declaration)
  local checks = listed(check)
  if check.doc then doc(usage.text(check)) end
  local function checked(...)
    return call(checks, ...)
  end
  declared[checked] = checks
  if check.debug then return checked, require('argcheck.overload').dot(checks) end
  return checked
end
