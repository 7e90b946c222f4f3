--- Random numbers of torch's default generator in the forms that NumPy's samplers use. The generator is NumPy's, so that both draw the same
-- numbers after the same seed.
-- @module randomkit.source
local torch = require 'torch'

local source = {}

local random, floor = torch.random, math.floor
local kept      -- the second normal number of a pair

--- A double in [0, 1) with 53 random bits.
function source.double()
  local a, b = floor(random() / 32), floor(random() / 64)
  return (a * 67108864 + b) / 9007199254740992
end

--- A whole number in 0..2^32 - 1.
function source.bits() return random() end

--- A normal number, by Marsaglia's polar method, which draws two.
function source.gauss()
  if kept then
    local value = kept
    kept = nil
    return value
  end
  while true do
    local x, y = 2 * source.double() - 1, 2 * source.double() - 1
    local square = x * x + y * y
    if square < 1 and square ~= 0 then
      local factor = math.sqrt(-2 * math.log(square) / square)
      kept = factor * x
      return factor * y
    end
  end
end

--- Sets the normal number that the next call of `gauss` returns; nil: it draws a new pair.
-- @tparam ?number value
function source.keep(value) kept = value end

--- The normal number that the next call of `gauss` returns, nil if there is none.
-- @treturn ?number
function source.kept() return kept end

--- A whole number in 0..max, by masks.
-- @int max up to 2^53
function source.interval(max)
  if max <= 0 then return 0 end
  local power = 1
  while power <= max do power = power * 2 end
  while true do
    local high = max > 4294967295 and random() % (power / 4294967296) or 0
    local low = random()
    local value = max > 4294967295 and high * 4294967296 + low or low % power
    if value <= max then return value end
  end
end

return source
