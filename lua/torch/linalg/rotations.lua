--- Rotations of two rows of r, and of two columns of q, that leave the product q r as it is: of doubles by loops, of complex numbers by
-- vectors. A rotation is [c s; -s' c] with a real c.
-- @module torch.linalg.rotations
local torch, ffi = require 'torch', require 'ffi'
local scalars = require 'torch.linalg.scalars'

local rotations = {}

local pointer = ffi.typeof 'double *'
local function data(x) return ffi.cast(pointer, x:data()) end

-- Cosine and sine of the rotation that makes (a, b) to (length, 0).
local function realRotation(a, b)
  if b == 0 then return 1, 0 end
  local largest = math.max(math.abs(a), math.abs(b))
  local length = largest * math.sqrt((a / largest) ^ 2 + (b / largest) ^ 2)
  return a / length, b / length
end

-- The same of complex numbers: the length has the phase of a.
local function complexRotation(a, b)
  local own, other = a:abs(), b:abs()
  if other == 0 then return 1, 0 end
  local length = (realRotation(own, other))
  if own == 0 then return 0, b:conj() / other end
  return length, a / own * (b:conj() / (own / length))
end

-- Rotates rows i and j of r, and columns i and j of q, counted from 0.
local function rotateReal(q, r, i, j, c, s)
  local m, n, qs, rs = q:size(1), r:size(2), data(q), data(r)
  for k = 0, n - 1 do
    local a, b = rs[i * n + k], rs[j * n + k]
    rs[i * n + k], rs[j * n + k] = c * a + s * b, c * b - s * a
  end
  for k = 0, m - 1 do
    local a, b = qs[k * m + i], qs[k * m + j]
    qs[k * m + i], qs[k * m + j] = c * a + s * b, c * b - s * a
  end
end

local function mixed(a, b, c, s)
  if type(s) == 'number' then s = torch.complex(s, 0) end
  local before = a:clone()
  a:mul(c):add(s, b)
  b:mul(c):add(-s:conj(), before)
end

local function rotateComplex(q, r, i, j, c, s)
  mixed(r[i + 1], r[j + 1], c, s)
  mixed(q:select(2, i + 1), q:select(2, j + 1), c, scalars.conj(s))
end

local function rotate(q, r, i, j, a, b)
  if type(a) == 'number' then
    local c, s = realRotation(a, b)
    rotateReal(q, r, i, j, c, s)
    return c * a + s * b
  end
  local c, s = complexRotation(a, b)
  rotateComplex(q, r, i, j, c, s)
  return a * c + b * s
end

--- Clears element (j, k) of r by row i; positions count from 0.
-- @tparam torch.Tensor q (m, m), contiguous doubles or complex doubles
-- @tparam torch.Tensor r (m, n)
-- @int i
-- @int j
-- @int k
function rotations.clear(q, r, i, j, k)
  rotate(q, r, i, j, r[i + 1][k + 1], r[j + 1][k + 1])
  r[j + 1][k + 1] = 0
end

--- Makes a vector along the columns of q a multiple of the unit vector at a position, from the last element up.
-- @tparam torch.Tensor q (m, m)
-- @tparam torch.Tensor r (m, n)
-- @tparam torch.Tensor w (m), which is changed
-- @int to from 0
function rotations.gather(q, r, w, to)
  for i = w:size(1) - 2, to, -1 do
    w[i + 1], w[i + 2] = rotate(q, r, i, i + 1, w[i + 1], w[i + 2]), 0
  end
end

return rotations
