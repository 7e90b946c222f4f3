--- Linear operators: matrices of which only products with vectors are known. Iterative methods accept dense and sparse matrices, operators,
-- Lua functions from vectors to vectors, and any object with a method `mv`.
-- @module torch.linalg.operator
local torch = require 'torch'
local check, complex = require 'torch.check', require 'torch.names.complex'
local matrix, sizesOf = require 'torch.linalg.matrix', require('torch.check.message').sizes

local operator = {}

local Operator = {}
Operator.__index = Operator

--- Makes an operator from functions.
-- @int rows
-- @int columns
-- @tparam function mv from a vector (columns) to the product (rows)
-- @tparam[opt] function rmv from a vector (rows) to the product of the transpose (columns), of complex numbers the conjugate transpose
-- @treturn table with methods `mv`, `rmv`, `mm` (of a matrix, column by column), `size` and `t`
function operator.LinearOperator(rows, columns, mv, rmv)
  check.int('LinearOperator', 'rows', rows, { min = 1 })
  check.int('LinearOperator', 'columns', columns, { min = 1 })
  check.callable('LinearOperator', 'mv', mv)
  if rmv ~= nil then check.callable('LinearOperator', 'rmv', rmv) end
  return setmetatable({ _rows = rows, _columns = columns, _mv = mv, _rmv = rmv }, Operator)
end

local function applied(f, x, rows, what)
  local y = f(x)
  if not torch.isTensor(y) or y:dim() ~= 1 or y:size(1) ~= rows then
    check.raise(('LinearOperator: %s: %s, expected a vector of %d elements'):format(what,
      torch.isTensor(y) and sizesOf(y) or check.describe(y), rows))
  end
  return y
end

--- The product with a vector.
function Operator:mv(x) return applied(self._mv, x, self._rows, 'mv') end

--- The product of the transpose, of complex numbers the conjugate transpose, with a vector.
function Operator:rmv(x)
  if not self._rmv then check.raise('LinearOperator: rmv: nil, expected a function for products with the transpose') end
  return applied(self._rmv, x, self._columns, 'rmv')
end

--- The product with a matrix, column by column.
function Operator:mm(x)
  local columns = {}
  for j = 1, x:size(2) do columns[j] = self:mv(torch.contiguous(x:select(2, j))) end
  return torch.stack(columns, 2)
end

--- The number of rows and columns, or one of them.
function Operator:size(dim)
  if dim == 1 then return self._rows elseif dim == 2 then return self._columns end
  return torch.LongStorage { self._rows, self._columns }
end

--- The transposed operator; of complex numbers, the conjugate transpose.
function Operator:t()
  return operator.LinearOperator(self._columns, self._rows, self._rmv or function(x) return self:rmv(x) end, self._mv)
end

-- A matrix without its history, as iterative methods record nothing.
local function untracked(where, name, a, isReal)
  if isReal then matrix.real(where, name, a) end
  return torch.isTensor(a) and a:detach() or a:_with(a:values():detach())
end

-- An operator whose products have no history.
local function plain(where, name, a, isReal)
  local function products(method)
    return function(x)
      local y = a[method](a, x)
      if not torch.isTensor(y) then return y end
      return (isReal and matrix.real(where, name, y) or y):detach()
    end
  end
  return operator.LinearOperator(a:size(1), a:size(2), products 'mv', products 'rmv')
end

--- Checks a vector for an iterative method.
-- @string where for messages
-- @string name of the argument
-- @param x
-- @treturn torch.Tensor contiguous, without its history
function operator.vector(where, name, x)
  x = matrix.of(where, name, x, 1, 'a vector')
  if x:dim() ~= 1 or x:size(1) == 0 then matrix.refuse(where, name, '%d dimensions, expected a vector', x:dim()) end
  return torch.contiguous(x:detach())
end

local function isMatrix(a) return torch.isTensor(a) and a:dim() == 2 end

-- The products of a real dense matrix with complex vectors, of which the matrix needs no complex copy.
local function byParts(product)
  return function(x)
    if not x:isComplex() then return product(x) end
    return torch.complex(product(torch.real(x)), product(torch.imag(x)))
  end
end

--- Makes an operator from a matrix: dense, sparse, an operator (returned as it is), or an object with `mv` and `size`.
-- @param a
-- @treturn table as from `LinearOperator`
function operator.aslinearoperator(a)
  if getmetatable(a) == Operator then return a end
  local kind = type(a)
  if not isMatrix(a) and (torch.isTensor(a) or kind ~= 'table' and kind ~= 'userdata' or not a.mv or not a.size) then
    check.raise(('aslinearoperator: a: %s, expected a matrix, or an object with mv and size'):format(
      torch.isTensor(a) and sizesOf(a) or check.describe(a)))
  end
  local adjoint, isComplex = nil, (isMatrix(a) or torch.sparse.isSparse(a)) and a:type():find 'Complex' ~= nil
  local function mv(x) return torch.mv(a, x) end                   -- the method mv of a tensor writes to it, as in Torch7
  local function rmv(x)
    adjoint = adjoint or complex.adjoint(a)
    return torch.mv(adjoint, x)
  end
  if isMatrix(a) and not isComplex then
    mv, rmv = byParts(mv), byParts(rmv)
  elseif not isMatrix(a) then
    function mv(x) return a:mv(x) end
    function rmv(x)
      if a.rmv then return a:rmv(x) end
      adjoint = adjoint or isComplex and torch.conj(a:t()) or a:t()
      return adjoint:mv(x)
    end
  end
  return operator.LinearOperator(a:size(1), a:size(2), mv, rmv)
end

--- An operator for an iterative method, which records nothing.
-- @string where for messages
-- @string name of the argument
-- @param a a matrix, an operator, or a function
-- @tparam ?int rows of a function, and those that others are to have
-- @tparam ?int columns the same
-- @bool[opt] isReal whether complex numbers are refused
-- @treturn table
function operator.of(where, name, a, rows, columns, isReal)
  if type(a) == 'function' then
    if not rows then check.raise(('%s: %s: a function, expected a matrix or an operator, whose sizes are known'):format(where, name)) end
    return plain(where, name, operator.LinearOperator(rows, columns or rows, a), isReal)
  end
  local isMatrixOfElements = isMatrix(a) or torch.sparse.isSparse(a)
  if isMatrixOfElements then
    a = operator.aslinearoperator(untracked(where, name, a, isReal))
  elseif getmetatable(a) ~= Operator then
    local isUsable = not torch.isTensor(a) and (type(a) == 'table' or type(a) == 'userdata') and a.mv and a.size
    if not isUsable then
      check.raise(('%s: %s: %s, expected a matrix, an operator, or a function of vectors'):format(where, name,
        torch.isTensor(a) and sizesOf(a) or check.describe(a)))
    end
    a = operator.aslinearoperator(a)
  end
  if rows and a:size(1) ~= rows or columns and a:size(2) ~= columns then
    check.raise(('%s: %s: [%d, %d], expected %d rows and %d columns'):format(where, name, a:size(1), a:size(2), rows or a:size(1),
      columns or a:size(2)), 'shape')
  end
  return isMatrixOfElements and a or plain(where, name, a, isReal)
end

return operator
