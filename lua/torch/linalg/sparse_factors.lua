--- Factors of sparse matrices, with the solutions, determinants and gradients that follow from them: what `torch.linalg.splu`, `spilu` and
-- `spcholesky` return.
-- @module torch.linalg.sparse_factors
local torch = require 'torch'
local check = require 'torch.check'
local matrix, checks = require 'torch.linalg.matrix', require 'torch.sparse.checks'
local asFloats = require 'torch.names.as_floats'

local factors = {}

--- Checks that a is a square matrix; returns it in compressed rows, sparse.
-- @string where
-- @param a
-- @treturn torch.SparseCSR coalesced, of floats
function factors.square(where, a)
  if torch.isTensor(a) then a = matrix.square(where, 'a', a):sparse 'csr' end
  if not torch.sparse.isSparse(a) then matrix.refuse(where, 'a', '%s, expected a matrix', check.describe(a)) end
  if a:dim() ~= 2 then matrix.refuse(where, 'a', '%d dimensions, expected a matrix', a:dim()) end
  local csr = checks.intact(where .. ': a', a):csr():coalesce()
  if csr:size(1) ~= csr:size(2) then
    check.raise(('%s: a: [%d, %d], expected a square matrix'):format(where, csr:size(1), csr:size(2)), 'shape')
  end
  return csr:_with(asFloats(csr:values()))
end

--- Checks a right-hand side of n rows, a vector or a matrix.
-- @string where
-- @param b
-- @int n
-- @treturn torch.Tensor
function factors.side(where, b, n)
  if torch.sparse.isSparse(b) then b = b:dense() end
  b = matrix.of(where, 'b', b, 1)
  if b:dim() > 2 then matrix.refuse(where, 'b', '%d dimensions, expected a vector or a matrix', b:dim()) end
  if b:size(1) ~= n then check.raise(('%s: b: %d rows, expected %d'):format(where, b:size(1), n), 'shape') end
  return b
end

--- Returns a complex matrix as a real one: [re -im; im re].
-- @tparam torch.SparseCSR a
-- @treturn torch.SparseCSR
function factors.asReal(a)
  local re, im = a:_with(torch.real(a:values()):contiguous()), a:_with(torch.imag(a:values()):contiguous())
  return torch.sparse.bmat { { re, im:neg() }, { im, re } }:csr():coalesce()
end

local Plain = {}
Plain.__index = Plain

--- Solutions by triangular factors, with a step of refinement if they are exact.
-- @tparam torch.SparseCSR a the matrix, of doubles
-- @tparam ?table parts as of `torch.linalg.plain_sparse_lu`
-- @tparam boolean isExact
-- @treturn ?table nil without parts
function factors.plain(a, parts, isExact)
  return parts and setmetatable({ own = parts, a = a, transpose = a:t(), isExact = isExact }, Plain)
end

-- LU factors that leave out elements up to `dropped` times the largest of their row.
local function plainFactors(a, dropped)
  local isComplex = a:type() == 'torch.ComplexDoubleTensor'
  local real = isComplex and factors.asReal(a) or a
  local own = factors.plain(real, require('torch.linalg.plain_sparse_lu').factor(real, dropped), not dropped)
  if own then own.isComplex = isComplex and 'UMFPACK' end
  return own
end

-- Solves for a matrix (n, k) by the factors.
function Plain:substitute(b, transposed)
  local own = self.own
  local function by(s, x, upper, unit)
    return torch.csrSolveTriangular(s:rows(), s:columns(), s:values(), x, upper, unit, transposed)
  end
  local from, to = own.rowOrder, own.columnOrder
  if transposed then from, to = to, from end
  local x = b:index(1, from)
  x = transposed and by(own.lower, by(own.upper, x, true, true), false, false) or by(own.upper, by(own.lower, x, false, false), true, true)
  return torch.indexCopy(torch.mul(x, 0), 1, to, x)
end

-- Solves for rows of right-hand sides (k, n), with a step of iterative refinement, as the pivots are not always the largest.
function Plain:solve(b, transposed)
  local k, n = b:size(1), b:size(2)
  -- The transpose of the real matrix is that of the conjugate complex one.
  local sign = transposed and -1 or 1
  if self.isComplex then b = torch.cat(torch.real(b), torch.imag(b) * sign, 2) end
  b = b:t():contiguous()
  local x = self:substitute(b, transposed)
  local a = transposed and self.transpose or self.a
  if self.isExact then x:add(self:substitute(b - a * x, transposed)) end
  if self.isComplex then x = torch.complex(x:narrow(1, 1, n):contiguous(), x:narrow(1, n + 1, n) * sign) end
  return x:t():contiguous():view(k, n)
end

function Plain:parts()
  if self.isComplex then
    error(('%s: a: factors of complex numbers, which only %s has'):format(self.isComplex == 'UMFPACK' and 'splu' or 'spcholesky',
      self.isComplex), 0)
  end
  return self.own
end

--- Returns a matrix of doubles, or complex ones, a copy without its history, as factors serve for solutions after the matrix has changed;
-- refuses NaN and infinities.
-- @string where
-- @tparam torch.SparseCSR a
-- @treturn torch.SparseCSR
function factors.doubles(where, a)
  local isComplex = a:type():find 'Complex' ~= nil
  local own = a:clone()
  own = own:_with(own:values():detach():type(isComplex and 'torch.ComplexDoubleTensor' or 'torch.DoubleTensor'))
  if a:nnz() > 0 and not torch.all(torch.isfinite(own:values())) then
    matrix.refuse(where, 'a', 'NaN or infinities, expected finite numbers')
  end
  return own
end

--- The LU factors of a matrix.
-- @string where
-- @tparam torch.SparseCSR a of `square`
-- @string[opt='auto'] solver 'umfpack', 'plain' or 'auto'
-- @number[opt] dropped makes them incomplete
-- @treturn table with methods `solve` and `parts`
-- @raise if a is singular
function factors.lu(where, a, solver, dropped)
  local umfpack, own = require 'torch.linalg.umfpack', factors.doubles(where, a)
  solver = check.choice(where, 'solver', solver or 'auto', { 'auto', 'umfpack', 'plain' })
  local found
  if a:size(1) == 0 then
    local none = torch.LongTensor(0)
    return { solve = function(_, b) return b:clone() end, parts = function()
      return { lower = own, upper = own, rowOrder = none, columnOrder = none }
    end }
  end
  if dropped then
    found = plainFactors(own, dropped)
  elseif solver == 'umfpack' or solver == 'auto' and umfpack.isPresent() then
    found = umfpack.factor(where, own)
  else
    found = plainFactors(own)
  end
  if not found then matrix.refuse(where, 'a', 'a singular matrix, expected one that can be inverted') end
  return found
end

local LU = {}
LU.__index = LU

local solved

-- The solution as an op of the tape, of values and b; `run` is a function that returns the factors' owner and whether it is transposed.
solved = matrix.recorded('spsolve', { 'values', 'b', 'run' }, function(values, b, run)
  local lu, transposed = run()
  local kind = torch.promoteTypes(values:type(), b:type())
  local own = (lu._isComplex or b:type():find 'Complex') and 'torch.ComplexDoubleTensor' or 'torch.DoubleTensor'
  local isVector = b:dim() == 1
  local rows = torch.to(b:detach(), own)
  rows = isVector and rows:contiguous():view(1, -1) or rows:t():contiguous()
  local x
  if own ~= 'torch.DoubleTensor' and not lu._isComplex then         -- complex sides of a real matrix
    local function part(f) return lu._factors:solve(f(rows):contiguous(), transposed) end
    x = torch.complex(part(torch.real), part(torch.imag))
  else
    x = lu._factors:solve(rows, transposed)
  end
  x = isVector and x:select(1, 1):clone() or x:t():contiguous()
  return torch.to(x, kind)
end, 'result, values, run', function(g, x, values, run)
  local lu, transposed = run()
  local gb = solved(values, g, function() return lu, not transposed end)
  local left, right = gb, x
  if transposed then left, right = right, left end
  local function columns(y) return y:dim() == 1 and torch.view(y:contiguous(), -1, 1) or y end
  local sampled = torch.csrSampled(lu._a:rows(), lu._a:columns(), columns(left), columns(right))
  return torch.neg(sampled), gb
end)

--- Solves a x = b.
-- @tparam torch.Tensor b (n) or (n, k)
-- @string[opt='N'] trans 'T' for the transpose of a, 'H' for its conjugate transpose
-- @treturn torch.Tensor x of the sizes of b
function LU:solve(b, trans)
  b = factors.side('solve', b, self._a:size(1))
  trans = check.choice('solve', 'trans', trans or 'N', { 'N', 'T', 'H' })
  local isTransposed = trans ~= 'N'
  local values = self._a:values()
  if trans == 'H' and self._isComplex then
    return torch.conj(solved(values, torch.conj(b), function() return self, true end))
  end
  return solved(values, b, function() return self, isTransposed end)
end

--- The solution for a vector, as of `solve`, so that the factors are a preconditioner.
function LU:mv(x) return self:solve(x) end

--- The solution with the transpose, of complex numbers the conjugate transpose.
function LU:rmv(x) return self:solve(x, 'H') end

--- Returns the sizes of the matrix.
function LU:size(dim) return self._a:size(dim) end

local function parts(self)
  self._parts = self._parts or self._factors:parts()
  return self._parts
end

--- Returns the factors: the rows of a in the order `rows` and its columns in the order `columns` are the product of both.
-- @treturn torch.SparseCSR lower with a diagonal of 1
-- @treturn torch.SparseCSR upper
-- @treturn torch.LongTensor rows
-- @treturn torch.LongTensor columns
function LU:factors()
  local own = parts(self)
  if own.cholesky then return own.cholesky, own.rowOrder end
  local lower, upper = own.lower:coalesce(), own.upper:coalesce()
  local n = self._a:size(1)
  local diagonal = lower:diag()
  local scaled = lower:_with(torch.cdiv(lower:values(), diagonal:index(1, lower:columns())))
  local unit = torch.sparse.eye(n):csr():type(upper:type())
  local right = upper:add(unit):csr()
  return scaled, right:_with(torch.cmul(right:values(), diagonal:index(1, right:_owners()))), own.rowOrder, own.columnOrder
end

-- The sign of a permutation: -1 for each cycle of even length.
local function signOf(order)
  local places, seen, sign = order:totable(), {}, 1
  for i = 1, #places do
    local length, at = 0, i
    while not seen[at] do
      seen[at], at, length = true, tonumber(places[at]), length + 1
    end
    if length > 0 and length % 2 == 0 then sign = -sign end
  end
  return sign
end

-- The elements of the inverse, transposed, at the entries of the matrix: solutions for a few unit vectors at a time.
local function inverseAtEntries(values, lu)
  local a = lu._a
  local n, owners, rows, list, width = a:size(1), a:_owners(), a:rows(), {}, 64
  for first = 1, n, width do
    local count = math.min(width, n + 1 - first)
    local begin, stop = tonumber(rows[first]), tonumber(rows[first + count])
    if stop > begin then
      local units = values:detach().new(n, count):zero()
      for i = 1, count do units[first + i - 1][i] = 1 end
      local x = solved(values, units, function() return lu, false end)
      local places = (a:columns():narrow(1, begin, stop - begin) - 1) * count + owners:narrow(1, begin, stop - begin) - (first - 1)
      list[#list + 1] = torch.index(torch.reshape(x, n * count), 1, places)
    end
  end
  return torch.cat(list, 1)
end

local logarithm = matrix.recorded('slogdet', { 'values', 'run' }, function(values, run)
  return torch.to(values, values:type()).new { run()._logarithm }
end, 'values, run', function(g, values, run)
  local elements = inverseAtEntries(values, run())
  return torch.cmul(elements, torch.expand(g, elements:size()))
end)

local function findDeterminant(self)
  if self._sign then return end
  if self._a:size(1) == 0 then
    self._sign, self._logarithm = 1, 0
    return
  end
  local own = parts(self)
  local diagonal = own.lower:coalesce():diag()
  local sizes = torch.abs(diagonal)
  local sign = torch.prod(torch.cdiv(diagonal, sizes:type(diagonal:type())))
  self._sign, self._logarithm = sign * (signOf(own.rowOrder) * signOf(own.columnOrder)), torch.sum(torch.log(sizes))
end

--- Returns the sign of the determinant, and the logarithm of its magnitude, which has a gradient with respect to the matrix.
-- @treturn number 1 or -1; of complex numbers one of magnitude 1
-- @treturn number|torch.Tensor
function LU:slogdet()
  torch.noGrad(findDeterminant, self)
  local values = self._a:values()
  local result = logarithm(values, function() return self end)
  return self._sign, result:isTracked() and result or self._logarithm
end

--- Returns the determinant: infinite or 0 where it is beyond the numbers' range. It has a gradient with respect to the matrix.
-- @treturn number|torch.Tensor
function LU:det()
  local sign, size = self:slogdet()
  if torch.isTensor(size) then return torch.mul(torch.exp(size), sign) end
  return sign * math.exp(size)
end

--- Makes the object of a matrix and its factors.
-- @tparam torch.SparseCSR a
-- @tparam table own the factors
-- @treturn table
function factors.object(a, own)
  return setmetatable({ _a = a, _factors = own, _isComplex = a:type():find 'Complex' ~= nil }, LU)
end

factors.LU = LU

return factors
