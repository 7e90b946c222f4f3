--- Carlson's symmetric elliptic integrals, by duplication until the series' terms of degree 6 are below the last bit.
--
-- Source: Carlson (1995), "Numerical computation of real or complex elliptic integrals", Numerical Algorithms 10; series of DLMF 19.36.
-- @module cephes.carlson
local abs, max, sqrt = math.abs, math.max, math.sqrt

local carlson = {}

--- R_F(x, y, z), half of the integral of 1 / sqrt((t + x)(t + y)(t + z)) over t from 0.
-- @number x 0 or more, as y and z, of which one may be 0
-- @number y
-- @number z
-- @treturn number
function carlson.rf(x, y, z)
  local mean = (x + y + z) / 3
  local spread, scale = max(abs(mean - x), abs(mean - y), abs(mean - z)), 1
  local mean0, x0, y0 = mean, x, y
  while scale * spread > 0.002 * abs(mean) do
    local rx, ry, rz = sqrt(x), sqrt(y), sqrt(z)
    local lambda = rx * ry + rx * rz + ry * rz
    x, y, z, mean, scale = (x + lambda) / 4, (y + lambda) / 4, (z + lambda) / 4, (mean + lambda) / 4, scale / 4
  end
  local a, b = (mean0 - x0) * scale / mean, (mean0 - y0) * scale / mean
  local c = -(a + b)
  local e2, e3 = a * b - c * c, a * b * c
  return (1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44) / sqrt(mean)
end

--- R_D(x, y, z), 3/2 of the integral of 1 / (sqrt((t + x)(t + y)(t + z)) (t + z)) over t from 0.
-- @number x 0 or more, as y; one may be 0
-- @number y
-- @number z above 0
-- @treturn number
function carlson.rd(x, y, z)
  local mean = (x + y + 3 * z) / 5
  local spread, scale, sum = max(abs(mean - x), abs(mean - y), abs(mean - z)), 1, 0
  local mean0, x0, y0 = mean, x, y
  while scale * spread > 0.002 * abs(mean) do
    local rx, ry, rz = sqrt(x), sqrt(y), sqrt(z)
    local lambda = rx * ry + rx * rz + ry * rz
    sum = sum + scale / (rz * (z + lambda))
    x, y, z, mean, scale = (x + lambda) / 4, (y + lambda) / 4, (z + lambda) / 4, (mean + lambda) / 4, scale / 4
  end
  local a, b = (mean0 - x0) * scale / mean, (mean0 - y0) * scale / mean
  local c = -(a + b) / 3
  local e2, e3 = a * b - 6 * c * c, (3 * a * b - 8 * c * c) * c
  local e4, e5 = 3 * (a * b - c * c) * c * c, a * b * c * c * c
  local series = 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26
  return scale * series / (mean * sqrt(mean)) + 3 * sum
end

return carlson
