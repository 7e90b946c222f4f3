--- The logs of a trainer: objects with the method `add` of optim.Logger. Those that also have `state` and `resume` continue in a resumed
-- run.
-- @module trainer.records
local check = require 'torch.check'
local kindOf = require('torch.check.message').kind

local records = {}

local function isLog(value) return type(value) == 'table' and type(value.add) == 'function' end

--- Returns a list of logs.
-- @string where the start of messages
-- @string name of the option
-- @param given nil, a log, or a list of them
-- @treturn table
function records.read(where, name, given)
  if given == nil then return {} end
  if isLog(given) then return { given } end
  for i, log in ipairs(check.table(where, name, given)) do
    if not isLog(log) then
      check.raise(('%s: %s: number %d: %s, expected an object with a method add, such as an optim.Logger'):format(where, name, i,
        kindOf(log)))
    end
  end
  return given
end

--- Adds the numbers of a table to all logs.
-- @tparam table logs
-- @tparam table values by name
function records.add(logs, values)
  if #logs == 0 then return end
  local numbers = {}
  for name, value in pairs(values) do
    if type(value) == 'number' then numbers[name] = value end
  end
  for _, log in ipairs(logs) do log:add(numbers) end
end

local function hasPosition(log) return type(log.state) == 'function' and type(log.resume) == 'function' end

--- Returns the positions of logs.
-- @tparam table logs
-- @treturn table
function records.state(logs)
  local states = {}
  for i, log in ipairs(logs) do states[i] = hasPosition(log) and log:state() or false end
  return states
end

--- Continues from positions.
-- @tparam table logs
-- @tparam table states
function records.resume(logs, states)
  for i, log in ipairs(logs) do
    if states[i] and hasPosition(log) then log:resume(states[i]) end
  end
end

return records
