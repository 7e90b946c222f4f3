--- exp, tanh, erf and functions based on them, for floats of every magnitude, compared with results in double, rounded once.
local torch = require 'torch'
local ffi = require 'ffi'

local bits = ffi.new 'union { float value; int32_t bits; }'

-- The distance of floats about x: of subnormal ones from the smallest normal number down.
local function unit(x)
  bits.value = x
  return 2 ^ (math.max(bit.band(bit.rshift(bits.bits, 23), 0xff), 1) - 150)
end

-- Every 4099th float, and those near the ends of the ranges of exp, tanh and erf.
local function arguments()
  local list = { 0, -0.0, math.huge, -math.huge, 0 / 0, 88.72283, 88.722839, 89, 1e9, -87.33655, -103.97208, -103.97209, -105, -1e9 }
  for pattern = -2 ^ 31, 2 ^ 31 - 1, 4099 do
    bits.bits = pattern
    if bits.value == bits.value then list[#list + 1] = bits.value end
  end
  return torch.FloatTensor(list)
end

describe('a function of floats', function()
  local x = arguments()
  local wide = x:double()
  for name, limit in pairs { exp = 1, tanh = 1.5, erf = 1.5, sigmoid = 2 } do
    it(name .. (' is within %g units in the last place'):format(limit), function()
      local y, exact = torch[name](x), torch[name](wide)
      local worst, at = 0, nil
      for i = 1, x:size(1) do
        local got, wanted = y[i], exact[i]
        bits.value = wanted
        if wanted ~= wanted then
          assert.is_true(got ~= got, name .. ' of NaN')
        elseif math.abs(bits.value) == math.huge or math.abs(got) == math.huge then
          assert.equal(bits.value, got)
        else
          local off = math.abs(got - wanted) / unit(wanted)
          if off > worst then worst, at = off, x[i] end
        end
      end
      assert.is_true(worst <= limit, ('%s(%.9g) is %.3g units off'):format(name, at or 0, worst))
    end)
  end

  it('keeps the sign of zero where it is odd', function()
    local zero = torch.FloatTensor { -0.0 }
    for _, name in ipairs { 'tanh', 'erf' } do assert.equal(-math.huge, 1 / torch[name](zero)[1]) end
  end)
end)
