--- Waves by their phase: square and sawtooth waves. These functions are not on the tape.
-- @module signal.waves
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'

local waves = {}

local whole = 2 * math.pi

-- The phase as a fraction of a period, 0 to 1, and the share as a tensor with its sizes.
local function parts(where, t, name, share)
  checks.signal(where, 't', t)
  if not torch.isTensor(share) then
    check.number(where, name, share, { min = 0, max = 1 })
    share = t.new(t:size()):fill(share)
  else
    check.that(share:isSameSizeAs(t), ('%s: %s: expected sizes of t'):format(where, name))
    share = torch.to(share:detach(), t:type())
  end
  return torch.remainder(t:detach(), whole) / whole, share
end

-- NaN for invalid shares.
local function valid(y, share)
  local isShare = torch.cmul(torch.ge(share, 0), torch.le(share, 1))
  return torch.where(isShare, y, y.new(1):fill(0 / 0):expandAs(y))
end

--- A square wave of period 2 pi: 1 for the first `duty` of each period, then -1.
-- @tparam torch.Tensor t phase, rad
-- @tparam[opt=0.5] number|torch.Tensor duty fraction of the period, 0 to 1; a tensor with t's sizes sets it for each point, with NaN for
-- invalid fractions
-- @treturn torch.Tensor as t
-- @usage signal.square(torch.range(0, 99) * (2 * math.pi / 50))      -- two periods
function waves.square(t, duty)
  local phase, share = parts('signal.square', t, 'duty', duty or 0.5)
  return valid(torch.to(torch.lt(phase, share), t:type()):mul(2):add(-1), share)
end

--- A sawtooth wave of period 2 pi: it rises from -1 to 1 for the first `width` of each period, and falls for the rest; 0.5 is a triangle.
-- @tparam torch.Tensor t phase, rad
-- @tparam[opt=1] number|torch.Tensor width fraction of the period, 0 to 1, as for `square`
-- @treturn torch.Tensor as t
function waves.sawtooth(t, width)
  local phase, share = parts('signal.sawtooth', t, 'width', width or 1)
  local rising = torch.cdiv(phase, torch.cmax(share, 1e-300)) * 2 - 1
  local falling = torch.cdiv(share + 1 - phase * 2, torch.cmax(1 - share, 1e-300))
  return valid(torch.where(torch.lt(phase, share), rising, falling), share)
end

return waves
