--- Preconditioners for iterative methods: Jacobi's, and incomplete factorisations of sparse matrices without new entries.
-- @module torch.linalg.preconditioners
local torch, ffi = require 'torch', require 'ffi'
local checks, complex = require 'torch.sparse.checks', require 'torch.names.complex'
local check = require 'torch.check'
local matrix, operator, scalars = require 'torch.linalg.matrix', require 'torch.linalg.operator', require 'torch.linalg.scalars'

local promotion = require 'torch.linalg.promotion'

local preconditioners = {}

--- Jacobi's preconditioner: the inverse of the diagonal.
-- @param a (n, n): a dense or sparse matrix, or the diagonal as a vector
-- @treturn table an operator
-- @raise if an element of the diagonal is 0
function preconditioners.jacobi(a)
  local diagonal
  if torch.isTensor(a) and a:dim() == 1 then
    diagonal = a
  elseif torch.isTensor(a) then
    a = matrix.square('jacobi', 'a', a)
    diagonal = a:nElement() == 0 and a or torch.diag(a)
  elseif type(a) == 'table' and a.diag then
    diagonal = a:diag()
  else
    matrix.refuse('jacobi', 'a', '%s, expected a matrix or its diagonal', check.describe(a))
  end
  if diagonal:nElement() == 0 then matrix.refuse('jacobi', 'a', 'no elements, expected 1 or more') end
  if torch.any(torch.eq(diagonal, 0)) then matrix.refuse('jacobi', 'a', '0 on the diagonal, expected other numbers') end
  local inverse, n = torch.cdiv(torch.add(torch.mul(diagonal, 0), 1), diagonal):detach(), diagonal:size(1)
  local conjugate = complex.conj(inverse)
  return operator.LinearOperator(n, n, function(x) return torch.cmul(inverse, x) end, function(x) return torch.cmul(conjugate, x) end)
end

-- Copies of the rows of a sparse matrix, counted from 0: start of each row, columns, values, and the place of each diagonal element.
local function rowsOf(where, a)
  if not torch.sparse.isSparse(a) then matrix.refuse(where, 'a', '%s, expected a sparse matrix', check.describe(a)) end
  local csr = checks.intact(where .. ': a', checks.matrix(where, a, 'a')):csr():coalesce()
  local n = csr:size(1)
  if csr:size(2) ~= n then matrix.refuse(where, 'a', '[%d, %d], expected a square matrix', n, csr:size(2)) end
  local starts, columns, isComplex = csr:rows(), csr:columns(), csr:type():find 'Complex' ~= nil
  local values = torch.to(csr:values():detach(), isComplex and 'torch.ComplexDoubleTensor' or 'torch.DoubleTensor')
  local count = values:size(1)
  local rows = { n = n, isComplex = isComplex, first = ffi.new('int32_t[?]', n + 1), column = ffi.new('int32_t[?]', count),
    value = ffi.new(isComplex and 'complex[?]' or 'double[?]', count), diagonal = ffi.new('int32_t[?]', n) }
  for i = 0, n do rows.first[i] = starts[i + 1] - 1 end
  for k = 0, count - 1 do rows.column[k], rows.value[k] = columns[k + 1] - 1, values[k + 1] end
  for i = 0, n - 1 do
    rows.diagonal[i] = -1
    for k = rows.first[i], rows.first[i + 1] - 1 do
      if rows.column[k] == i then rows.diagonal[i] = k end
    end
    if rows.diagonal[i] < 0 then matrix.refuse(where, 'a', 'no element at %d on the diagonal, expected all of them', i + 1) end
  end
  return rows
end

-- Makes an operator from a function that changes n doubles, or complex ones; by real factors complex numbers are solved by parts.
local function inPlace(rows, solve, solveTransposed)
  local kind, pointer = 'torch.DoubleTensor', 'double *'
  if rows.isComplex then kind, pointer = 'torch.ComplexDoubleTensor', 'complex *' end
  local function wrapped(f)
    local function apply(x)
      if x:isComplex() and not rows.isComplex then return torch.complex(apply(torch.real(x)), apply(torch.imag(x))) end
      local y = torch.contiguous(torch.to(x:detach(), kind)):clone()
      f(ffi.cast(pointer, y:data()))
      return torch.to(y, rows.isComplex and promotion.complex(x):type() or x:type())
    end
    return apply
  end
  return operator.LinearOperator(rows.n, rows.n, wrapped(solve), wrapped(solveTransposed))
end

local function same(x) return x end

--- The incomplete LU factors of a sparse matrix, with its entries only. Source: J. Meijerink & H. van der Vorst (1977), "An iterative
-- solution method for linear systems of which the coefficient matrix is a symmetric M-matrix", Math. Comp. 31.
-- @param a a sparse matrix (n, n), real or complex, with all elements of the diagonal
-- @treturn table an operator: the inverse of the product of the factors
-- @raise if a pivot is 0
function preconditioners.ilu0(a)
  local rows = rowsOf('ilu0', a)
  local n, first, column, value, diagonal = rows.n, rows.first, rows.column, rows.value, rows.diagonal
  local conj = rows.isComplex and scalars.conj or same
  local place = ffi.new('int32_t[?]', n)
  for i = 0, n - 1 do place[i] = -1 end
  for i = 0, n - 1 do
    for k = first[i], first[i + 1] - 1 do place[column[k]] = k end
    for k = first[i], diagonal[i] - 1 do
      local j = column[k]
      value[k] = value[k] / value[diagonal[j]]
      for l = diagonal[j] + 1, first[j + 1] - 1 do
        local at = place[column[l]]
        if at >= 0 then value[at] = value[at] - value[k] * value[l] end
      end
    end
    for k = first[i], first[i + 1] - 1 do place[column[k]] = -1 end
    if value[diagonal[i]] == 0 then matrix.refuse('ilu0', 'a', 'a pivot of 0 in row %d, expected other pivots', i + 1) end
  end
  return inPlace(rows, function(x)
    for i = 0, n - 1 do
      for k = first[i], diagonal[i] - 1 do x[i] = x[i] - value[k] * x[column[k]] end
    end
    for i = n - 1, 0, -1 do
      for k = diagonal[i] + 1, first[i + 1] - 1 do x[i] = x[i] - value[k] * x[column[k]] end
      x[i] = x[i] / value[diagonal[i]]
    end
  end, function(x)
    for i = 0, n - 1 do
      x[i] = x[i] / conj(value[diagonal[i]])
      for k = diagonal[i] + 1, first[i + 1] - 1 do x[column[k]] = x[column[k]] - conj(value[k]) * x[i] end
    end
    for i = n - 1, 0, -1 do
      for k = first[i], diagonal[i] - 1 do x[column[k]] = x[column[k]] - conj(value[k]) * x[i] end
    end
  end)
end

--- The incomplete Cholesky factor of a sparse symmetric or Hermitian positive definite matrix, with the entries of its lower triangle only.
-- Source: as for `ilu0`.
-- @param a a sparse matrix (n, n), real or complex, with all elements of the diagonal; its lower triangle is read
-- @treturn table an operator, symmetric or Hermitian positive definite: the inverse of the product of the factors
-- @raise if a pivot is not positive: the matrix is not positive definite, or far from diagonal dominance
function preconditioners.ic0(a)
  local rows = rowsOf('ic0', a)
  local n, first, column, value, diagonal = rows.n, rows.first, rows.column, rows.value, rows.diagonal
  local conj = rows.isComplex and scalars.conj or same
  for i = 0, n - 1 do
    for k = first[i], diagonal[i] do
      local j, sum = column[k], value[k]
      local p, q = first[i], first[j]                              -- the common columns of both rows before j
      while p < k and q < diagonal[j] do
        if column[p] == column[q] then
          sum, p, q = sum - value[p] * conj(value[q]), p + 1, q + 1
        elseif column[p] < column[q] then
          p = p + 1
        else
          q = q + 1
        end
      end
      local pivot = scalars.real(sum)
      if j < i then
        value[k] = sum / value[diagonal[j]]
      elseif pivot > 0 then
        value[k] = math.sqrt(pivot)
      else
        matrix.refuse('ic0', 'a', 'a pivot of %g in row %d, expected positive ones', pivot, i + 1)
      end
    end
  end
  local function solve(x)
    for i = 0, n - 1 do
      for k = first[i], diagonal[i] - 1 do x[i] = x[i] - value[k] * x[column[k]] end
      x[i] = x[i] / value[diagonal[i]]
    end
    for i = n - 1, 0, -1 do
      x[i] = x[i] / value[diagonal[i]]
      for k = first[i], diagonal[i] - 1 do x[column[k]] = x[column[k]] - conj(value[k]) * x[i] end
    end
  end
  return inPlace(rows, solve, solve)
end

return preconditioners
