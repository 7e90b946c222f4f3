--- Equations and square roots of quasi-triangular matrices, such as the real Schur form: block by block, each of one or two rows.
-- Matrices are pointers to doubles, row by row.
-- Sources: R. Bartels & G. Stewart (1972), "Solution of the matrix equation AX + XB = C", Comm. ACM 15; N. Higham (1987), "Computing real
-- square roots of a real matrix", Linear Algebra Appl. 88/89.
-- @module torch.linalg.quasi_triangular
local ffi = require 'ffi'

local quasi = {}

--- Finds the blocks on the diagonal.
-- @param t pointer
-- @int n number of rows
-- @treturn {int,...} the first row of each, from 0, and n at the end
function quasi.blocks(t, n)
  local starts, i = {}, 0
  while i < n do
    starts[#starts + 1] = i
    i = i + (i + 1 < n and t[(i + 1) * n + i] ~= 0 and 2 or 1)
  end
  starts[#starts + 1] = n
  return starts
end

local m, v = ffi.new 'double[16]', ffi.new 'double[4]'

-- Solves the system of `size` equations in m and v, by elimination with row exchanges. Returns false if a pivot is 0.
local function eliminate(size)
  for k = 0, size - 1 do
    local best = k
    for i = k + 1, size - 1 do
      if math.abs(m[i * 4 + k]) > math.abs(m[best * 4 + k]) then best = i end
    end
    if m[best * 4 + k] == 0 then return false end
    for j = k, size - 1 do m[k * 4 + j], m[best * 4 + j] = m[best * 4 + j], m[k * 4 + j] end
    v[k], v[best] = v[best], v[k]
    for i = k + 1, size - 1 do
      local factor = m[i * 4 + k] / m[k * 4 + k]
      for j = k, size - 1 do m[i * 4 + j] = m[i * 4 + j] - factor * m[k * 4 + j] end
      v[i] = v[i] - factor * v[k]
    end
  end
  for k = size - 1, 0, -1 do
    local rest = v[k]
    for j = k + 1, size - 1 do rest = rest - m[k * 4 + j] * v[j] end
    v[k] = rest / m[k * 4 + k]
  end
  return true
end

-- Solves r y + y s = f, where r has the p rows from row i of a matrix of nr rows, s the q rows from row j of one of ns rows. The block of
-- memory y at (i, j), with rows of ns numbers, holds f and receives y. A singular system with f = 0 has the solution 0; returns false for
-- others.
local function solveBlock(r, nr, i, p, s, ns, j, q, y)
  local size, all = p * q, 0
  for a = 0, p - 1 do
    for b = 0, q - 1 do
      local row = a * q + b
      for c = 0, size - 1 do m[row * 4 + c] = 0 end
      for c = 0, p - 1 do m[row * 4 + c * q + b] = m[row * 4 + c * q + b] + r[(i + a) * nr + i + c] end
      for c = 0, q - 1 do m[row * 4 + a * q + c] = m[row * 4 + a * q + c] + s[(j + c) * ns + j + b] end
      v[row] = y[(i + a) * ns + j + b]
      all = all + math.abs(v[row])
    end
  end
  if not eliminate(size) then return all == 0 end
  for a = 0, p - 1 do
    for b = 0, q - 1 do y[(i + a) * ns + j + b] = v[a * q + b] end
  end
  return true
end

-- y(i.., j..) = y(i.., j..) - the sum over k from `first` to `last` of x(i.., k) z(k, j..).
local function subtract(y, stride, i, p, j, q, x, nx, z, nz, first, last)
  for a = i, i + p - 1 do
    for b = j, j + q - 1 do
      local sum = 0.0
      for k = first, last do sum = sum + x[a * nx + k] * z[k * nz + b] end
      y[a * stride + b] = y[a * stride + b] - sum
    end
  end
end

--- Solves r y + y s = f.
-- @param r pointer to an upper quasi-triangular matrix
-- @int nr its number of rows
-- @param s pointer to another one
-- @int ns
-- @param y pointer to f, nr by ns, which becomes the solution
-- @treturn boolean false if an eigenvalue of r is the negative of one of s
function quasi.sylvester(r, nr, s, ns, y)
  local rows, columns = quasi.blocks(r, nr), quasi.blocks(s, ns)
  for cj = 1, #columns - 1 do
    local j, q = columns[cj], columns[cj + 1] - columns[cj]
    subtract(y, ns, 0, nr, j, q, y, ns, s, ns, 0, j - 1)
    for ci = #rows - 1, 1, -1 do
      local i, p = rows[ci], rows[ci + 1] - rows[ci]
      subtract(y, ns, i, p, j, q, r, nr, y, ns, i + p, nr - 1)
      if not solveBlock(r, nr, i, p, s, ns, j, q, y) then return false end
    end
  end
  return true
end

-- The square root of a block. Returns false if it is not real.
local function blockRoot(t, n, i, p, x)
  local at = i * n + i
  if p == 1 then
    if t[at] < 0 then return false end
    x[at] = math.sqrt(t[at])
    return true
  end
  local mean, half = (t[at] + t[at + n + 1]) / 2, (t[at] - t[at + n + 1]) / 2
  local square = -half * half - t[at + 1] * t[at + n]
  if square < 0 then return false end
  local imaginary = math.sqrt(square)
  local length = math.sqrt(mean * mean + imaginary * imaginary)
  local real = mean > 0 and math.sqrt((mean + length) / 2) or imaginary / math.sqrt(2 * (length - mean))
  x[at], x[at + n + 1] = real + half / (2 * real), real - half / (2 * real)
  x[at + 1], x[at + n] = t[at + 1] / (2 * real), t[at + n] / (2 * real)
  return true
end

--- The principal square root of an upper quasi-triangular matrix.
-- @param t pointer
-- @int n number of rows
-- @param x pointer to zeros, which become the root
-- @treturn ?string nil, or why there is no real root
function quasi.root(t, n, x)
  local starts = quasi.blocks(t, n)
  for cj = 1, #starts - 1 do
    local j, q = starts[cj], starts[cj + 1] - starts[cj]
    if not blockRoot(t, n, j, q, x) then return 'a negative eigenvalue' end
    for ci = cj - 1, 1, -1 do
      local i, p = starts[ci], starts[ci + 1] - starts[ci]
      for a = i, i + p - 1 do
        for b = j, j + q - 1 do x[a * n + b] = t[a * n + b] end
      end
      subtract(x, n, i, p, j, q, x, n, x, n, i + p, j - 1)
      if not solveBlock(x, n, i, p, x, n, j, q, x) then return 'the eigenvalue 0 in a block that is not diagonal' end
    end
  end
end

return quasi
