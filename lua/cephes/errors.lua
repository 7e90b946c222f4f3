--- Levels of errors of the package cephes: silent results, warnings, or Lua errors about arguments outside the domain and results that no
-- double can represent.
-- @module cephes.errors
local check = require 'torch.check'

local errors = {}
local infinity = math.huge
local level, lost = 'off', nil
local known = { [0] = 'off', 'error', 'warning', off = 'off', err = 'error', error = 'error', warn = 'warning', warning = 'warning' }

--- Sets the level.
-- @tparam number|string value 0 or 'off', the default: functions are silent; 1, 'err' or 'error': they raise Lua errors; 2, 'warn' or
--   'warning': they print
function errors.setErrorLevel(value)
  if not known[value] then
    check.raise(("cephes.setErrorLevel: level: %s, expected 'off', 'error' or 'warning'"):format(tostring(value)))
  end
  level = known[value]
end

--- The level: 'off', 'error' or 'warning'.
-- @treturn string
function errors.getErrorLevel() return level end

--- Notes that a function has lost the precision of its result.
-- @string kind 'total loss of precision' or 'partial loss of precision'
function errors.lose(kind) lost = kind end

--- Starts a call.
-- @treturn bool whether its results will be reported
function errors.start()
  lost = nil
  return level ~= 'off'
end

local function kindOf(value, parameters, traits)
  for _, x in ipairs(parameters) do
    if not (x > -infinity and x < infinity) then return nil end      -- neither NaN nor an infinity is an error that began here
  end
  if value ~= value then return lost or 'domain error' end
  if value == infinity or value == -infinity then
    local isPole = traits.isPole
    if type(isPole) == 'function' then isPole = isPole(unpack(parameters)) end
    return isPole and 'singularity' or 'overflow'
  end
  if value == 0 and traits.neverZero then return 'underflow' end
  return lost
end

--- Reports the first bad result of a call.
-- @string name of the function
-- @tparam table traits `isPole`: infinite results are at poles, or a function of the parameters that tells so; `neverZero`: zero
--   means that the result is too small
-- @tparam {number,...} values results
-- @tparam {table,...} rows the parameters of each result
function errors.report(name, traits, values, rows)
  for i, value in ipairs(values) do
    local kind = kindOf(value, rows[i], traits)
    if kind then
      if level == 'error' then check.raise(("Cephes error '%s: %s'"):format(name, kind), 'range') end
      print(('CEPHES WARNING: %s: %s'):format(name, kind))
      return
    end
  end
end

return errors
