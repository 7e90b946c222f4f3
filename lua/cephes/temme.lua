--- Temme's series of Y and K and of their next orders, for |m| <= 1/2 and 0 < x <= 2, for the package cephes.
--
-- Sources: Temme (1976) and (1975), "On the numerical evaluation of the modified Bessel function of the third kind"; DLMF 10.8, 10.31.
-- @module cephes.temme
local abs, cosh, exp, log, sin, sinh, pi = math.abs, math.cosh, math.exp, math.log, math.sin, math.sinh, math.pi

local temme = {}

-- Coefficients of 1 / gamma(1 + x) in powers of x (DLMF 5.7.1, shifted by one).
local powers = {
  1.0, 0.5772156649015329, -0.6558780715202539, -0.04200263503409524, 0.16653861138229148, -0.04219773455554433,
  -0.009621971527876973, 0.0072189432466631, -0.0011651675918590652, -0.00021524167411495098, 0.0001280502823881162,
  -2.013485478078824e-05, -1.2504934821426706e-06, 1.133027231981696e-06, -2.056338416977607e-07, 6.116095104481416e-09,
  5.002007644469223e-09, -1.18127457048702e-09, 1.0434267116911005e-10, 7.782263439905071e-12, -3.696805618642206e-12,
  5.100370287454476e-13, -2.0583260535665066e-14, -5.348122539423018e-15,
}

-- gamma1 = (1 / gamma(1 - m) - 1 / gamma(1 + m)) / (2m), gamma2 = their mean, and both inverses.
local function gammas(m)
  local odd, even, square = 0, 0, m * m
  for i = #powers, 2, -2 do odd, even = odd * square + powers[i], even * square + powers[i - 1] end
  return -odd, even, even + m * odd, even - m * odd      -- 1 / gamma(1 + m), 1 / gamma(1 - m)
end

local function overSine(x) return abs(x) < 1e-8 and 1 or x / sin(x) end
local function sinhOver(x) return abs(x) < 1e-8 and 1 or sinh(x) / x end

--- Y_m(x) and Y_m+1(x).
-- @number m
-- @number x
-- @treturn number
-- @treturn number
function temme.y(m, x)
  local gamma1, gamma2, plus, minus = gammas(m)
  local logarithm = log(2 / x)
  local e = m * logarithm
  local f = 2 / pi * overSine(pi * m) * (cosh(e) * gamma1 + sinhOver(e) * gamma2 * logarithm)
  local p, q = exp(e) / (pi * plus), 1 / (exp(e) * pi * minus)
  local half = pi * m / 2
  local r = abs(half) < 1e-8 and 1 or sin(half) / half
  r = pi * half * r * r
  local c, square = 1, -x * x / 4
  local sum, sum1 = f + r * q, p
  for k = 1, 200 do
    f = (k * f + p + q) / (k * k - m * m)
    c = c * square / k
    p, q = p / (k - m), q / (k + m)
    local term = c * (f + r * q)
    sum = sum + term
    sum1 = sum1 + c * p - k * term
    if abs(term) < 1e-17 * (1 + abs(sum)) then break end
  end
  return -sum, -sum1 * 2 / x
end

--- K_m(x) and K_m+1(x).
-- @number m
-- @number x
-- @treturn number
-- @treturn number
function temme.k(m, x)
  local gamma1, gamma2, plus, minus = gammas(m)
  local logarithm = log(2 / x)
  local e = m * logarithm
  local f = overSine(pi * m) * (cosh(e) * gamma1 + sinhOver(e) * gamma2 * logarithm)
  local p, q = 0.5 * exp(e) / plus, 0.5 / (exp(e) * minus)
  local c, square = 1, x * x / 4
  local sum, sum1 = f, p
  for k = 1, 200 do
    f = (k * f + p + q) / (k * k - m * m)
    c = c * square / k
    p, q = p / (k - m), q / (k + m)
    local term = c * f
    sum = sum + term
    sum1 = sum1 + c * (p - k * f)
    if abs(term) < 1e-17 * abs(sum) then break end
  end
  return sum, sum1 * 2 / x
end

return temme
