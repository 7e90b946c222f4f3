--- Factors of changed matrices, from the factors before: Cholesky's after a change of rank one, Q R after a change of rank one or of a row
-- or column. Of n by n matrices they take about n^2 steps instead of n^3.
-- @module torch.linalg.updates
local torch, ffi = require 'torch', require 'ffi'
local C = require 'libmoontorch'
local check = require 'torch.check'
local matrix, atCaller = require 'torch.linalg.matrix', require 'torch.linalg.at_caller'

local updates = {}

local pointer = ffi.typeof 'double *'
local function data(x) return ffi.cast(pointer, x:data()) end
local product, t = torch.matmul, matrix.t

-- The lower factor of l l' + sign x x', by rotations (sign 1) or hyperbolic ones (-1). Returns false if the matrix is not definite.
local function changeFactor(l, n, x, sign)
  for k = 0, n - 1 do
    local own, other = l[k * n + k], x[k]
    local square = own * own + sign * other * other
    if square <= 0 or square ~= square then return false end
    local length = math.sqrt(square)
    local c, s = length / own, other / own
    l[k * n + k] = length
    for i = k + 1, n - 1 do
      l[i * n + k] = (l[i * n + k] + sign * s * x[i]) / c
      x[i] = c * x[i] - s * l[i * n + k]
    end
  end
  return true
end

local function changed(where, sign)
  return function(l, x)
    l = matrix.square(where, 'l', l)
    x = matrix.of(where, 'x', x, 1)
    if x:size(-1) ~= l:size(-1) then matrix.refuse(where, 'x', '%d elements, expected %d', x:size(-1), l:size(-1)) end
    if C.tracked(l) or C.tracked(x) then
      local column = torch.unsqueeze(x, x:dim() + 1)
      local lower = torch.tril(l)
      return torch.cholesky(torch.add(product(lower, t(lower)), torch.mul(product(column, t(column)), sign)))
    end
    return matrix.each(where, { l, x }, { 2, 1 }, function(factor, vector)
      local own = torch.contiguous(torch.tril(factor))
      if not changeFactor(data(own), own:size(1), data(vector:clone()), sign) then
        matrix.refuse(where, 'x', 'the changed matrix is not positive definite')
      end
      return own
    end)
  end
end

--- The lower Cholesky factor of l l' + x x'. (The tape records a new factorisation.)
-- @function choleskyUpdate
-- @tparam torch.Tensor l the lower factor (…, n, n), with positive diagonal
-- @tparam torch.Tensor x (…, n)
-- @treturn torch.Tensor (…, n, n)
updates.choleskyUpdate = changed('choleskyUpdate', 1)

--- The lower Cholesky factor of l l' - x x'. (The tape records a new factorisation.)
-- @function choleskyDowndate
-- @tparam torch.Tensor l the lower factor (…, n, n), with positive diagonal
-- @tparam torch.Tensor x (…, n)
-- @treturn torch.Tensor (…, n, n)
-- @raise if the matrix would not be positive definite
updates.choleskyDowndate = changed('choleskyDowndate', -1)

-- Rotates rows i and j of r (columns from `first`), and columns i and j of q, so that q r stays the same.
local function rotate(q, m, r, n, i, j, c, s, first)
  for k = first, n - 1 do
    local a, b = r[i * n + k], r[j * n + k]
    r[i * n + k], r[j * n + k] = c * a + s * b, c * b - s * a
  end
  for k = 0, m - 1 do
    local a, b = q[k * m + i], q[k * m + j]
    q[k * m + i], q[k * m + j] = c * a + s * b, c * b - s * a
  end
end

-- Cosine and sine of the rotation that makes (a, b) to (length, 0).
local function rotation(a, b)
  if b == 0 then return 1, 0 end
  local largest = math.max(math.abs(a), math.abs(b))
  local length = largest * math.sqrt((a / largest) ^ 2 + (b / largest) ^ 2)
  return a / length, b / length
end

-- Clears r[j][k] by row i.
local function clear(q, m, r, n, i, j, k)
  local c, s = rotation(r[i * n + k], r[j * n + k])
  rotate(q, m, r, n, i, j, c, s, 0)
  r[j * n + k] = 0
end

-- Checks complete factors: q (m, m) and r (m, n). Returns copies in float64, and the type of results.
local function complete(where, q, r)
  q = matrix.real(where, 'q', matrix.square(where, 'q', q))
  r = matrix.real(where, 'r', matrix.sized(where, 'r', r, q:size(-1)))
  if q:dim() ~= 2 or r:dim() ~= 2 then matrix.refuse(where, 'q', '%d dimensions, expected a matrix', q:dim()) end
  local function own(x) return torch.contiguous(torch.to(C.detach(x), 'torch.DoubleTensor')):clone() end
  return own(q), own(r), q:type()
end

local function vector(where, name, x, n)
  x = matrix.real(where, name, matrix.of(where, name, x, 1))
  if x:dim() ~= 1 or x:size(1) ~= n then matrix.refuse(where, name, '%d elements, expected %d', x:nElement(), n) end
  return torch.contiguous(torch.to(C.detach(x), 'torch.DoubleTensor'))
end

-- Makes the vector w (m) along q's columns a multiple of the unit vector at `to`, from the last element up.
local function gather(q, m, r, n, w, to)
  for i = m - 2, to, -1 do
    local c, s = rotation(w[i], w[i + 1])
    w[i], w[i + 1] = c * w[i] + s * w[i + 1], 0
    rotate(q, m, r, n, i, i + 1, c, s, 0)
  end
end

--- Complete Q R factors of q r + u v'.
-- @tparam torch.Tensor q (m, m), orthogonal, as `torch.linalg.qr(a, 'complete')` returns it
-- @tparam torch.Tensor r (m, n)
-- @tparam torch.Tensor u (m)
-- @tparam torch.Tensor v (n)
-- @treturn torch.Tensor q
-- @treturn torch.Tensor r
function updates.qrUpdate(q, r, u, v)
  local basis, upper, type = complete('qrUpdate', q, r)
  local m, n = upper:size(1), upper:size(2)
  local w = torch.contiguous(torch.mv(basis:t(), vector('qrUpdate', 'u', u, m)))
  v = vector('qrUpdate', 'v', v, n)
  local qs, rs, ws, vs = data(basis), data(upper), data(w), data(v)
  gather(qs, m, rs, n, ws, 0)
  for j = 0, n - 1 do rs[j] = rs[j] + ws[0] * vs[j] end
  for j = 0, math.min(n, m - 1) - 1 do clear(qs, m, rs, n, j, j + 1, j) end
  return torch.to(basis, type), torch.to(upper, type)
end

-- Checks which of the rows or columns is meant. Returns whether it is a row, and the position from 0.
local function position(where, k, which, sizes, spare)
  which = check.choice(where, 'which', which or 'row', { 'row', 'col' })
  local isRow = which == 'row'
  return isRow, check.int(where, 'k', k, { min = 1, max = sizes[isRow and 1 or 2] + spare }) - 1
end

--- Complete Q R factors of q r with a new row or column.
-- @tparam torch.Tensor q (m, m), orthogonal
-- @tparam torch.Tensor r (m, n)
-- @tparam torch.Tensor x the row (n) or column (m)
-- @int k its position, from 1
-- @string[opt='row'] which or 'col'
-- @treturn torch.Tensor q
-- @treturn torch.Tensor r
function updates.qrInsert(q, r, x, k, which)
  local basis, upper, type = complete('qrInsert', q, r)
  local m, n = upper:size(1), upper:size(2)
  local isRow, place = position('qrInsert', k, which, { m, n }, 1)
  x = vector('qrInsert', 'x', x, isRow and n or m)
  if isRow then
    local larger, rows = torch.DoubleTensor(m + 1, m + 1):zero(), torch.DoubleTensor(m + 1, n)
    for i = 1, m do larger[i <= place and i or i + 1]:narrow(1, 1, m):copy(basis[i]) end
    larger[place + 1][m + 1] = 1
    rows:narrow(1, 1, m):copy(upper)
    rows[m + 1]:copy(x)
    for j = 0, math.min(n, m) - 1 do clear(data(larger), m + 1, data(rows), n, j, m, j) end
    return torch.to(larger, type), torch.to(rows, type)
  end
  local w, wider = torch.contiguous(torch.mv(basis:t(), x)), torch.DoubleTensor(m, n + 1)
  if place > 0 then wider:narrow(2, 1, place):copy(upper:narrow(2, 1, place)) end
  if place < n then wider:narrow(2, place + 2, n - place):copy(upper:narrow(2, place + 1, n - place)) end
  wider:select(2, place + 1):copy(w)
  local column = torch.contiguous(wider:select(2, place + 1)):clone()
  gather(data(basis), m, data(wider), n + 1, data(column), place)
  wider:select(2, place + 1):copy(column)
  return torch.to(basis, type), torch.to(wider, type)
end

--- Complete Q R factors of q r without a row or column.
-- @tparam torch.Tensor q (m, m), orthogonal
-- @tparam torch.Tensor r (m, n)
-- @int k its position, from 1
-- @string[opt='row'] which or 'col'
-- @treturn torch.Tensor q
-- @treturn torch.Tensor r
function updates.qrDelete(q, r, k, which)
  local basis, upper, type = complete('qrDelete', q, r)
  local m, n = upper:size(1), upper:size(2)
  local isRow, place = position('qrDelete', k, which, { m, n }, 0)
  if (isRow and m or n) == 1 then matrix.refuse('qrDelete', 'k', 'the only %s, expected others', isRow and 'row' or 'column') end
  local function without(x, dim, at)
    local parts, size = {}, x:size(dim)
    if at > 0 then parts[1] = x:narrow(dim, 1, at) end
    if at < size - 1 then parts[#parts + 1] = x:narrow(dim, at + 2, size - at - 1) end
    return torch.contiguous(torch.cat(parts, dim))
  end
  if isRow then
    gather(data(basis), m, data(upper), n, data(basis[place + 1]:clone()), 0)
    local rest = without(without(basis, 1, place), 2, 0)
    return torch.to(rest, type), torch.to(torch.mul(upper:narrow(1, 2, m - 1), 1), type)
  end
  local rest = without(upper, 2, place)
  for j = place, math.min(n - 1, m - 1) - 1 do clear(data(basis), m, data(rest), n - 1, j, j + 1, j) end
  return torch.to(basis, type), torch.to(rest, type)
end

return atCaller(updates)
