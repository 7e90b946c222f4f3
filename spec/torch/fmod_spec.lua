--- torch.fmod compared with the C library's, to the last bit and the sign of zero: any quotient, multiples, infinities, NaN and subnormal
-- numbers.
local torch, ffi = require 'torch', require 'ffi'
ffi.cdef 'double fmod(double x, double y); float fmodf(float x, float y);'

local function same(a, b) return (a == b and 1 / a == 1 / b) or (a ~= a and b ~= b) end

local function check(x, y, expected)
  local result = torch.fmod(x, y)
  for i = 1, x:size(1) do
    local divisor = type(y) == 'number' and y or y[i]
    local wanted = expected(x[i], divisor)
    if not same(wanted, result[i]) then error(('%.17g by %.17g: %.17g, not %.17g'):format(x[i], divisor, result[i], wanted)) end
  end
end

describe('torch.fmod', function()
  for name, expected in pairs { Float = ffi.C.fmodf, Double = ffi.C.fmod } do
    it('of a ' .. name .. 'Tensor gives what fmod of C gives', function()
      local convert = torch.Tensor()[name:lower()]
      for round = 1, 40 do
        local n = 501
        local x, y = convert(torch.randn(n):mul(2 ^ torch.random(-20, 20))), convert(torch.randn(n):mul(2 ^ torch.random(-20, 20)))
        if round % 3 == 0 then x:mul(8):round() end
        if round % 4 == 0 then y:mul(8):round() end                          -- some are 0
        if round % 5 == 0 then x:copy(y):mul(torch.random(1, 1000)) end      -- multiples, as far as they are exact
        if round % 6 == 0 then x:mul(2 ^ -120):mul(2 ^ -20) end
        if round % 8 == 0 then y:mul(2 ^ -120):mul(2 ^ -10) end
        if round % 7 == 0 then
          x[3], y[5], y[9], x[20], y[30], x[31] = math.huge, -math.huge, 0, 0 / 0, 0 / 0, -0.0
        end
        check(x, y, expected)
        check(x, 2 ^ torch.random(-3, 3), expected)
      end
    end)
  end
end)
