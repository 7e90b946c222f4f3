--- exp, tanh, erf and functions based on them, for floats of every magnitude, compared with results in double, rounded once. And all
-- elementwise ops of floats: a result depends on no other element of the vector that is computed at once.
local torch = require 'torch'
local ffi = require 'ffi'
local registry = require 'spec.support.registry'

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

describe('a result of floats depends on its own elements alone:', function()
  local n = 96
  local scales = { 0.3, 1, 5, 50, 3e3, 1e5, 1e10, 1e30, 1e-6, 1e-30 }
  local function mixed()
    local x = torch.FloatTensor(n)
    for i = 1, n do x[i] = torch.normal() * scales[i * 7 % #scales + 1] end
    for i, special in ipairs { 0, -0.0, math.huge, -math.huge, 0 / 0, 1, -1, 0.5 } do x[11 * i] = special end
    return x
  end
  local function same(a, b) return a == b and 1 / a == 1 / b or a ~= a and b ~= b end

  local calls = 0
  for _, op in ipairs(registry.ops()) do
    if op.elementwise then
      it(op.name, function()
        for count = 1, 3 do
          local whole = {}
          for k = 1, count do whole[k] = mixed() end
          local fits, y = pcall(op.call, unpack(whole))
          if fits and torch.isTensor(y) and y:nElement() == n then
            calls = calls + 1
            for i = 1, n do
              local single = {}
              for k = 1, count do single[k] = whole[k]:narrow(1, i, 1):clone() end
              local alone = op.call(unpack(single))[1]
              assert(same(alone, y[i]), ('%s of element %d, %.9g: %.9g alone, %.9g'):format(op.name, i, whole[count][i], alone, y[i]))
            end
          end
        end
      end)
    end
  end
  it('most ops are called so', function() assert.is_true(calls > 100, calls) end)
end)
