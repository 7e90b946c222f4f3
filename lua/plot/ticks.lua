--- Positions and labels of an axis' ticks.
-- @module plot.ticks
local ticks = {}

local steps = { 1, 2, 2.5, 5, 10 }
local nearlyZero = 1e-10      -- as a fraction of a step

local mostStep = 1e308      -- below the largest double

-- The smallest round step with at most `count` steps between two numbers, whose distance may exceed the largest double.
local function roundStep(low, high, count)
  local raw = math.abs(high - low) < math.huge and (high - low) / count or high / count - low / count
  local magnitude = 10 ^ math.floor(math.log10(raw))
  for _, step in ipairs(steps) do
    if step * magnitude >= raw * (1 - nearlyZero) then return math.min(step * magnitude, mostStep) end
  end
end

--- Round positions within limits.
-- @number low
-- @number high
-- @int count approximate maximum number of ticks
-- @treturn {number,...}
-- @treturn number the step
function ticks.linear(low, high, count)
  local step = roundStep(low, high, count)
  local list = {}
  local first = math.ceil(low / step - nearlyZero)
  for i = 0, math.floor(high / step + nearlyZero) - first do list[#list + 1] = (first + i) * step end      -- (first + i may round)
  return list, step
end

local leastExponent, mostExponent = -323, 308      -- of a double

--- Powers of ten within limits; round numbers if there are fewer than two.
-- @number low logarithm of the smallest number
-- @number high logarithm of the largest
-- @int count approximate maximum number of ticks
-- @treturn {number,...} ticks with a label
-- @treturn {number,...} minor ticks between them
function ticks.log(low, high, count)
  low, high = math.max(low, leastExponent), math.min(high, mostExponent)
  local first, last = math.ceil(low - nearlyZero), math.floor(high + nearlyZero)
  if last - first < 1 then return ticks.linear(10 ^ low, 10 ^ high, count), {} end
  local stride = math.ceil((last - first + 1) / count)
  local list, small = {}, {}
  for exponent = first, last, stride do list[#list + 1] = 10 ^ exponent end
  if stride == 1 then
    for exponent = first - 1, last do
      for digit = 2, 9 do
        local value = digit * 10 ^ exponent
        if value >= 10 ^ low * (1 - nearlyZero) and value <= 10 ^ high * (1 + nearlyZero) then small[#small + 1] = value end
      end
    end
  end
  return list, small
end

local superscripts = { ['-'] = '\226\129\187', ['0'] = '\226\129\176', ['1'] = '\194\185', ['2'] = '\194\178', ['3'] = '\194\179' }
for digit = 4, 9 do superscripts[tostring(digit)] = '\226\129' .. string.char(176 + digit) end

local minus = '\226\136\146'

local function signed(text) return (text:gsub('^%-', minus)) end

-- Ten to an integer power.
local function power(exponent) return '10' .. tostring(exponent):gsub('.', superscripts) end

--- Labels for positions from `linear`: with enough decimals to distinguish them, and a common factor for large and small numbers.
-- @tparam {number,...} list
-- @number step
-- @treturn {string,...}
-- @treturn ?string the factor, such as '10⁶'
function ticks.labels(list, step)
  local largest = 0
  for _, value in ipairs(list) do largest = math.max(largest, math.abs(value)) end
  local exponent = largest > 0 and math.floor(math.log10(largest) + nearlyZero) or 0
  local factor
  if exponent >= 6 or exponent <= -4 then factor = exponent end
  local scale = 10 ^ (factor or 0)
  local decimals = 0
  while decimals < 12 and math.abs(step / scale * 10 ^ decimals - math.floor(step / scale * 10 ^ decimals + 0.5)) > 1e-6 do
    decimals = decimals + 1
  end
  local texts = {}
  for i, value in ipairs(list) do
    if math.abs(value) < step * nearlyZero then value = 0 end
    texts[i] = signed(('%.' .. decimals .. 'f'):format(value / scale))
  end
  return texts, factor and power(factor)
end

--- Labels for positions from `log`.
-- @tparam {number,...} list
-- @treturn {string,...}
function ticks.powers(list)
  local texts = {}
  for i, value in ipairs(list) do
    local exponent = math.log10(value)
    local whole = math.floor(exponent + 0.5)
    texts[i] = math.abs(exponent - whole) < nearlyZero and power(whole) or signed(('%g'):format(value))
  end
  return texts
end

return ticks
