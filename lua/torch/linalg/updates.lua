--- Factors of changed matrices, from the factors before: Cholesky's after a change of rank one, Q R after a change of rank one or of a row
-- or column. Of n by n matrices they take about n^2 steps instead of n^3.
-- @module torch.linalg.updates
local torch, ffi = require 'torch', require 'ffi'
local C = require 'libmoontorch'
local check, complex = require 'torch.check', require 'torch.names.complex'
local matrix, rotations, atCaller = require 'torch.linalg.matrix', require 'torch.linalg.rotations', require 'torch.linalg.at_caller'

local structured = require 'torch.linalg.complex_structured'

local updates = {}

local pointer = ffi.typeof 'double *'
local function data(x) return ffi.cast(pointer, x:data()) end
local product, adjoint = torch.matmul, complex.adjoint

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
      return torch.cholesky(torch.add(product(lower, adjoint(lower)), torch.mul(product(column, adjoint(column)), sign)))
    end
    return matrix.each(where, { l, x }, { 2, 1 }, function(factor, vector)
      local own, columns, isComplex = torch.contiguous(torch.tril(factor)), vector:clone():view(1, -1), complex.is(vector)
      if own:nElement() == 0 then return own end
      if isComplex then own, columns = structured.realMatrix(own), structured.realMatrix(vector:view(-1, 1)):t():contiguous() end
      for i = 1, columns:size(1) do
        if not changeFactor(data(own), own:size(1), data(columns[i]), sign) then
          matrix.refuse(where, 'x', 'the changed matrix is not positive definite')
        end
      end
      if not isComplex then return own end
      own = structured.complexMatrix(own)
      torch.imag(torch.diagonal(own)):zero()                       -- without errors of rounding
      return own
    end, true)
  end
end

--- The lower Cholesky factor of l l' + x x'. (The tape records a new factorisation.)
-- @function choleskyUpdate
-- @tparam torch.Tensor l the lower factor (…, n, n), real or complex, with positive diagonal
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

-- Checks a vector.
local function vector(where, name, x, n)
  x = matrix.of(where, name, x, 1)
  if x:dim() ~= 1 or x:size(1) ~= n then matrix.refuse(where, name, '%d elements, expected %d', x:nElement(), n) end
  return x
end

-- Checks complete factors: q (m, m) and r (m, n).
local function complete(where, q, r)
  q = matrix.square(where, 'q', q)
  r = matrix.sized(where, 'r', r, q:size(-1))
  if q:dim() ~= 2 or r:dim() ~= 2 then matrix.refuse(where, 'q', '%d dimensions, expected a matrix', q:dim()) end
  return q, r, r:size(1), r:size(2)
end

-- Returns copies of factors and vectors in float64, or complex128 if one is complex, and a function that gives results the type of q.
local function copies(...)
  local list, type = { ... }, (...):type()
  local isComplex = false
  for _, x in ipairs(list) do isComplex = isComplex or complex.is(x) end
  for i, x in ipairs(list) do
    list[i] = torch.contiguous(torch.to(C.detach(x), isComplex and 'torch.ComplexDoubleTensor' or 'torch.DoubleTensor')):clone()
  end
  if isComplex and not type:find 'Complex' then type = torch.promoteTypes(type, 'torch.ComplexFloatTensor') end
  return function(q, r) return torch.to(q, type), torch.to(r, type) end, unpack(list)
end

--- Complete Q R factors of q r + u v'.
-- @tparam torch.Tensor q (m, m), orthogonal or unitary, as `torch.linalg.qr(a, 'complete')` returns it
-- @tparam torch.Tensor r (m, n)
-- @tparam torch.Tensor u (m)
-- @tparam torch.Tensor v (n)
-- @treturn torch.Tensor q
-- @treturn torch.Tensor r
function updates.qrUpdate(q, r, u, v)
  local m, n, typed
  q, r, m, n = complete('qrUpdate', q, r)
  typed, q, r, u, v = copies(q, r, vector('qrUpdate', 'u', u, m), vector('qrUpdate', 'v', v, n))
  local w = torch.mv(complex.adjoint(q), u)
  rotations.gather(q, r, w, 0)
  if r:nElement() > 0 then r[1]:add(w[1], complex.conj(v)) end
  for j = 0, math.min(n, m - 1) - 1 do rotations.clear(q, r, j, j + 1, j) end
  return typed(q, r)
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
  local m, n, typed
  q, r, m, n = complete('qrInsert', q, r)
  local isRow, place = position('qrInsert', k, which, { m, n }, 1)
  typed, q, r, x = copies(q, r, vector('qrInsert', 'x', x, isRow and n or m))
  if isRow then
    local larger, rows = q.new(m + 1, m + 1):zero(), r.new(m + 1, n)
    for i = 1, m do larger[i <= place and i or i + 1]:narrow(1, 1, m):copy(q[i]) end
    larger[place + 1][m + 1] = 1
    rows:narrow(1, 1, m):copy(r)
    rows[m + 1]:copy(x)
    for j = 0, math.min(n, m) - 1 do rotations.clear(larger, rows, j, m, j) end
    return typed(larger, rows)
  end
  local w, wider = torch.mv(complex.adjoint(q), x), r.new(m, n + 1)
  if place > 0 then wider:narrow(2, 1, place):copy(r:narrow(2, 1, place)) end
  if place < n then wider:narrow(2, place + 2, n - place):copy(r:narrow(2, place + 1, n - place)) end
  wider:select(2, place + 1):copy(w)
  rotations.gather(q, wider, w, place)
  wider:select(2, place + 1):copy(w)
  return typed(q, wider)
end

--- Complete Q R factors of q r without a row or column.
-- @tparam torch.Tensor q (m, m), orthogonal
-- @tparam torch.Tensor r (m, n)
-- @int k its position, from 1
-- @string[opt='row'] which or 'col'
-- @treturn torch.Tensor q
-- @treturn torch.Tensor r
function updates.qrDelete(q, r, k, which)
  local m, n, typed
  q, r, m, n = complete('qrDelete', q, r)
  typed, q, r = copies(q, r)
  local isRow, place = position('qrDelete', k, which, { m, n }, 0)
  if (isRow and m or n) == 1 then matrix.refuse('qrDelete', 'k', 'the only %s, expected others', isRow and 'row' or 'column') end
  local function without(x, dim, at)
    local parts, size = {}, x:size(dim)
    if at > 0 then parts[1] = x:narrow(dim, 1, at) end
    if at < size - 1 then parts[#parts + 1] = x:narrow(dim, at + 2, size - at - 1) end
    return torch.contiguous(torch.cat(parts, dim))
  end
  if isRow then
    rotations.gather(q, r, complex.conj(q[place + 1]):clone(), 0)
    return typed(without(without(q, 1, place), 2, 0), torch.mul(r:narrow(1, 2, m - 1), 1))
  end
  local rest = without(r, 2, place)
  for j = place, math.min(n - 1, m - 1) - 1 do rotations.clear(q, rest, j, j + 1, j) end
  return typed(q, rest)
end

return atCaller(updates)
