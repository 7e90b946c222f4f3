--- Cholesky factors of sparse matrices in the form of `torch.linalg.sparse_factors`: of CHOLMOD, or of Lua.
-- @module torch.linalg.sparse_cholesky
local torch, check = require 'torch', require 'torch.check'
local matrix, factors = require 'torch.linalg.matrix', require 'torch.linalg.sparse_factors'

local function adjoint(s) return s:type():find 'Complex' and torch.conj(s:t()) or s:t() end

-- Returns LU factors of the upper Cholesky factor u: the lower one u' diag(u), and the rest of diag(u)^-1 u, whose diagonal is 1.
local function asLU(order, upper)
  local diagonal = upper:diag()
  local scaled = upper:_with(torch.cmul(upper:values(), diagonal:index(1, upper:_owners())))
  local unit = upper:_with(torch.cdiv(upper:values(), diagonal:index(1, upper:_owners())))
  return { rowOrder = order, columnOrder = order, lower = adjoint(scaled):csr(), upper = torch.sparse.triu(unit, 1),
    cholesky = adjoint(upper):csr() }
end

-- The matrix that a lower triangle stands for; imaginary parts of the diagonal count as 0.
local function completed(a)
  local below, diagonal = torch.sparse.tril(a, -1), torch.sparse.tril(torch.sparse.triu(a))
  if diagonal:type():find 'Complex' then diagonal = diagonal:_with(torch.complex(torch.real(diagonal:values()), 0)) end
  return below:add(adjoint(below)):add(diagonal):csr():coalesce()
end

--- Factors a matrix.
-- @string where for messages
-- @tparam torch.SparseCSR a of `factors.square`
-- @string[opt='auto'] solver 'cholmod', 'plain' or 'auto'
-- @treturn table the factors
-- @raise if the matrix is not positive definite
return function(where, a, solver)
  local cholmod, own = require 'torch.linalg.cholmod', factors.doubles(where, a)
  solver = check.choice(where, 'solver', solver or 'auto', { 'auto', 'cholmod', 'plain' })
  local function refuse(row)
    matrix.refuse(where, 'a', 'a pivot in row %d that is not positive, expected a positive definite matrix', row)
  end
  local isComplex, n = own:type():find 'Complex' ~= nil, own:size(1)
  if isComplex and n > 0 then own = completed(own) end
  if solver == 'cholmod' or solver == 'auto' and cholmod.isPresent() then
    local found, row = cholmod.factor(where, own)
    if not found then refuse(row) end
    found.asLU = asLU
    return found
  end
  if own:size(1) == 0 then return factors.plain(own, asLU(torch.LongTensor(0), own), true) end
  own = isComplex and factors.asReal(own) or completed(own)
  local order, upper = require('torch.linalg.plain_sparse_cholesky').factor(own)
  if not order then refuse((upper - 1) % n + 1) end
  local found = factors.plain(own, asLU(order, upper), true)
  if isComplex then found.isComplex = 'CHOLMOD' end
  return found
end
