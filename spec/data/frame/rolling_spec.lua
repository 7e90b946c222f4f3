-- Windows of data frames over numbers of very different size: each result against its own window, computed alone.
local torch = require 'torch'
local data = require 'data'

local nan, huge = 0 / 0, math.huge

local function rolled(values, method, window, options)
  local frame = data.Frame { x = values, d = torch.range(1, #values) }:cast { d = 'date' }
  return frame:rolling(window, options)[method](frame:rolling(window, options)).x:totable()
end

-- Compares lists with NaNs, up to a relative error.
local function equals(expected, found, tolerance, name)
  assert.equal(#expected, #found)
  for i, value in ipairs(expected) do
    local other = found[i]
    local good = value == other or value ~= value and other ~= other or math.abs(value - other) <= (tolerance or 0) * math.abs(value)
    assert.is_true(good, ('%s[%d]: %.17g, expected %.17g'):format(tostring(name), i, other, value))
  end
end

-- The result of a window's values: sums of whole numbers, and distances from their mean, are exact here.
local function alone(method, values, minimum)
  if #values < minimum then return nan end
  local sum, squares = 0, 0
  for _, value in ipairs(values) do sum = sum + value end
  if method == 'sum' then return sum elseif method == 'mean' then return sum / #values end
  for _, value in ipairs(values) do squares = squares + (value - sum / #values) ^ 2 end
  local variance = #values > 1 and squares / (#values - 1) or nan
  return method == 'var' and variance or math.sqrt(variance)
end

describe('A window of a data.Frame', function()
  it('loses nothing to large numbers that left it', function()
    local x = { 1e16, 1, 2, 3, 4, 5 }
    for _, case in ipairs { { 2 }, { '2 seconds', { on = 'd', minimum = 2 } } } do
      equals({ nan, 1e16, 3, 5, 7, 9 }, rolled(x, 'sum', case[1], case[2]))
      equals({ nan, 5e15, 1.5, 2.5, 3.5, 4.5 }, rolled(x, 'mean', case[1], case[2]))
      equals({ nan, 5e31, 0.5, 0.5, 0.5, 0.5 }, rolled(x, 'var', case[1], case[2]), 1e-15)
      equals({ nan, huge, 1e308, 3, 5 }, rolled({ 1e308, 1e308, 1, 2, 3 }, 'sum', case[1], case[2]))
    end
    equals({ nan, nan, 1e300, 1e100, 6, 9 }, rolled({ 1e300, 1e100, 1, 2, 3, 4 }, 'sum', 3))
    equals({ 0.1, 0.1, 0.1, 0.1 }, rolled({ 0.1, 0.1, 0.1, 0.1 }, 'mean', 3, { minimum = 1 }), 2e-16)
    for _, value in ipairs { 0.1, 1e6 + 0.1, 1e15 + 0.3, 1 / 3 } do
      local list = { 1e12, -7, 3.5 }
      for i = 4, 60 do list[i] = value end
      local deviations = rolled(list, 'std', 7)
      for i = 10, 60 do assert.equal(0, deviations[i]) end
    end
  end)

  it('is what it is alone', function()
    torch.manualSeed(3)
    local list, n = {}, 400
    for i = 1, n do
      local kind = torch.uniform()
      list[i] = kind < 0.1 and nan or kind < 0.15 and huge or kind < 0.2 and 2 ^ 40 or torch.random(-100, 100)
    end
    local cases = { { 1, 1 }, { 2, 2 }, { 7, 1 }, { 7, 4, true }, { 50, 0 }, { 1000, 1 }, { 10, 0, true }, { 12, 2, false, true } }
    for _, case in ipairs(cases) do
      local window, minimum, center, isTime = unpack(case)
      for _, method in ipairs { 'sum', 'mean', 'var', 'std', 'count', 'min', 'max' } do
        local expected, ahead = {}, center and math.floor((window - 1) / 2) or 0
        for i = 1, n do
          local own = {}
          for j = math.max(1, i + ahead - window + 1), math.min(n, i + ahead) do
            if list[j] - list[j] == 0 then own[#own + 1] = list[j] end
          end
          if method == 'count' then
            expected[i] = #own
          elseif method == 'min' or method == 'max' then
            expected[i] = #own >= math.max(minimum, 1) and math[method](unpack(own)) or nan
          else
            expected[i] = alone(method, own, minimum)
          end
        end
        local found = rolled(list, method, isTime and window .. ' seconds' or window,
          isTime and { on = 'd', minimum = minimum } or { minimum = minimum, center = center or nil })
        equals(expected, found, 1e-13, ('%s of %d'):format(method, window))
      end
    end
  end)

  it('has the variances of its own numbers after a large one', function()
    torch.manualSeed(1)
    local x = torch.randn(20000)
    x[1] = 1e12
    local found = data.Frame { x = x }:rolling(10):var().x
    for i = 11, 20000, 97 do assert.is_true(math.abs(found[i] - x:narrow(1, i - 9, 10):var()) < 1e-13) end
  end)
end)
