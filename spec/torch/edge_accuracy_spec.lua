-- Functions of floats at the ends of their range: next to poles and zeros, and with the smallest normal numbers as results. The figures are
-- mpmath's at 60 digits, of exactly these arguments.
local torch = require 'torch'

-- op, type, pairs of argument and result
local cases = {
  { 'trigamma', 'double', { -4.9e-32, 4.1649312786339028886e+62 }, { -1e-150, 9.9999999999999998741e+299 },
    { -8e-155, 1.5624999999999999553e+308 }, { 3e-100, 1.1111111111111110667e+199 }, { -1.0000000000000002, 2.0282409603651670424e+31 },
    { -0.5, 8.9348022005446793094 }, { -7.25, 19.610354539293269016 } },
  { 'trigamma', 'float', { -5.999999809593135e-20, 2.7777779540804387318e+38 }, { -9.999999682655225e-20, 1.0000000634689579434e+38 },
    { -1.000000013351432e-10, 99999997329713661476.0 }, { -0.5, 8.9348022005446793094 } },
  { 'gelu', 'double', { -1e-300, -5.0000000000000001253e-301 }, { -0.75, -0.1699705142826511495 }, { -2, -0.045500263896358414401 },
    { -5.5, -1.0444259356238245661e-7 }, { -9, -1.015729565358456583e-18 }, { -28, -2.2746834515046394462e-171 },
    { -37.4, -7.3067690405672307299e-305 } },
  { 'gelu', 'float', { -1.0000000031710769e-30, -5.0000000158553842549e-31 }, { -0.75, -0.1699705142826511495 },
    { -2, -0.045500263896358414401 }, { -5.5, -1.0444259356238245661e-7 }, { -9, -1.015729565358456583e-18 },
    { -13, -7.952313719414843587e-38 }, { -13.100000381469727, -2.1566269055788243026e-38 } },
  { 'silu', 'double', { -1e-300, -5.0000000000000001253e-301 }, { -1.28, -0.27846428617841600451 }, { -20, -4.1223072363804071629e-8 },
    { -700.5, -4.1891273811071737401e-302 }, { -714.5, -3.5529975928330214748e-308 } },
  { 'silu', 'float', { -1.0000000031710769e-30, -5.0000000158553842549e-31 }, { -1.2799999713897705, -0.2784642861879744469 },
    { -20, -4.1223072363804071629e-8 }, { -80.5, -8.8123165087727905096e-34 }, { -91.5, -1.6729231843800723862e-38 } },
  { 'digamma', 'double', { -0.5, 0.036489973978576520559 }, { -0.504, 0.00074207160470539685133 }, { -0.51, -0.052931736969635927023 },
    { -0.45, 0.48626297158004828265 }, { -1.5, 0.70315664064524318723 }, { -1.57, 0.034686321051231494793 },
    { -9.7, 0.040286868521830783007 }, { -100.25, 7.7542389592086454484 }, { -1e-300, 9.9999999999999997494e+299 } },
  { 'digamma', 'float', { -0.5, 0.036489973978576520559 }, { -0.504082977771759, 2.7259856236381175686e-7 },
    { -1.5, 0.70315664064524318723 }, { -1.0000000031710769e-30, 9.9999999682892315908e+29 } },
  { 'softplus', 'double', { -708, 3.3075530036384079962e-308 }, { -40, 4.2483542552915889863e-18 }, { 1e-300, 0.69314718055994530942 } },
  { 'softplus', 'float', { -87, 1.6458114310822736512e-38 }, { -20, 2.0611536203143807032e-9 } },
  { 'sigmoid', 'double', { -708, 3.3075530036384079962e-308 }, { -40, 4.2483542552915889773e-18 } },
  { 'sigmoid', 'float', { -87, 1.6458114310822736512e-38 }, { -20, 2.0611536181902035814e-9 } },
}

local digits = { float = 24, double = 53 }

-- Difference in units of the last place of the true result.
local function ulps(actual, expected, dtype)
  local _, exponent = math.frexp(expected)
  return math.abs(actual - expected) / 2 ^ (exponent - digits[dtype])
end

describe('within 4 units in the last place', function()
  for _, case in ipairs(cases) do
    local op, dtype = case[1], case[2]
    it(op .. ' of ' .. dtype .. 's', function()
      local x = torch.DoubleTensor(#case - 2)
      for i = 1, x:size(1) do x[i] = case[i + 2][1] end
      local y = torch[op](x[dtype](x))
      for i = 1, x:size(1) do
        local expected = case[i + 2][2]
        local error = ulps(y[i], expected, dtype)
        assert.is_true(error <= 4, ('%s(%.17g) is %.17g, expected %.17g: %g units'):format(op, x[i], y[i], expected, error))
      end
    end)
  end
end)

describe('gelu and silu', function()
  for _, op in ipairs { 'gelu', 'silu' } do
    it(op .. ' go to 0 and to x at the ends, and keep NaN', function()
      for _, dtype in ipairs { 'float', 'double' } do
        local x = torch.DoubleTensor { -math.huge, -1e30, 0, 1e30, math.huge, 0 / 0 }
        local y = torch[op](x[dtype](x))
        assert.equal(0, y[1])
        assert.equal(0, y[2])
        assert.equal(0, y[3])
        assert.equal(1, y[4] / x[dtype](x)[4])
        assert.equal(math.huge, y[5])
        assert.is_true(y[6] ~= y[6])
      end
    end)

    it(op .. "'s gradient is that of differences, also where the result is small", function()
      local x = torch.DoubleTensor { -37, -30, -12, -3, -1, -0.1, 0, 0.1, 1, 3, 12, 40 }
      local h = 2 ^ -14
      local slope = (torch[op](x + h) - torch[op](x - h)) / (2 * h)
      local g = torch[op .. '_grad'](torch.ones(x:size(1)), x)
      for i = 1, x:size(1) do
        local near = math.abs(g[i] - slope[i]) <= 1e-5 * math.abs(slope[i]) + 1e-12 * (x[i] > -3 and 1 or 0)
        assert.is_true(near, ('%s at %g: %.12g, differences give %.12g'):format(op, x[i], g[i], slope[i]))
      end
    end)
  end

  it('digamma ends for numbers of any size', function()
    local y = torch.digamma(torch.DoubleTensor { -0.504, 1e300, -0.504, 3, 1e17, -0.504, -1e300, 2 })
    assert.is_true(math.abs(y[2] - 300 * math.log(10)) < 1e-12 * y[2] and y[1] == y[3] and y[1] == y[6])
  end)

  it('trigamma is infinite at negative whole numbers alone', function()
    local y = torch.trigamma(torch.DoubleTensor { 0, -1, -2, -4.5e15, -1e300, -1 + 2 ^ -53 })
    for i = 1, 5 do assert.equal(math.huge, y[i]) end
    assert.is_true(math.abs(y[6] * 2 ^ -106 - 1) < 1e-12)
  end)
end)
