--- The base class of meters: `add` adds a measurement, `value` returns the result, `reset` removes all measurements.
-- @module torchnet.meter
local torch, check, tnt = require 'torch', require 'torch.check', require 'torchnet.env'

--- @type tnt.Meter
local Meter = torch.class('tnt.Meter', tnt)

local function missing(self, name) check.raise(('%s: %s: expected a method of the class'):format(torch.type(self), name)) end

--- Removes all measurements.
function Meter:reset() missing(self, 'reset') end

--- The result of all measurements.
function Meter:value() missing(self, 'value') end

--- Adds a measurement.
function Meter:add() missing(self, 'add') end

-- Scores and 0/1 targets as matrices of doubles (samples, classes).
local function pair(where, output, target)
  check.tensor(where, 'output', output)
  check.tensor(where, 'target', target)
  local function matrix(x) return (x:dim() == 1 and x:contiguous():view(-1, 1) or x):double() end
  local scores, truth = matrix(output), matrix(target)
  if not scores:isSameSizeAs(truth) then
    check.raise(('%s: target: size [%s], the output has [%s]'):format(where, table.concat(target:size():totable(), ', '),
      table.concat(output:size():totable(), ', ')))
  end
  if truth:nElement() > 0 and not torch.eq(torch.cmul(truth, truth), truth):all() then
    check.raise(where .. ': target: expected 0 and 1')
  end
  return scores, truth
end

return { Meter = tnt.Meter, pair = pair }
