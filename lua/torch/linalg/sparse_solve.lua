--- Direct solutions of sparse systems: triangular ones, LU and Cholesky factors. UMFPACK and CHOLMOD factor the matrix where the system has
-- them, otherwise Lua. Gradients flow to the values of the matrix and to right-hand sides; those of the
-- matrix have its places alone.
-- @module torch.linalg.sparse_solve
local torch = require 'torch'
local check = require 'torch.check'
local matrix = require 'torch.linalg.matrix'
local factors = require 'torch.linalg.sparse_factors'

local solve = {}

--- Solves t x = b for a triangle t of a sparse matrix: SciPy's spsolve_triangular. Entries of the other triangle are ignored.
-- @param a (n, n), sparse or dense
-- @tparam torch.Tensor b (n) or (n, k)
-- @tparam[opt] table options `lower` (true), false for the upper triangle; `unitDiagonal` (false): the diagonal counts as 1 and is not
--   read; `transposed` (false): solves with the transpose of the triangle
-- @treturn torch.Tensor x of the sizes of b
-- @raise if an element of the diagonal is 0, or sizes don't fit
function solve.spsolveTriangular(a, b, options)
  local where = 'spsolveTriangular'
  a = factors.square(where, a)
  b = factors.side(where, b, a:size(1))
  options = check.options(where, options, { 'lower', 'unitDiagonal', 'transposed' })
  local function flag(name) return check.flag(where, name, options[name] or false) end
  local upper = options.lower ~= nil and not check.flag(where, 'lower', options.lower)
  return check.call(torch.csrSolveTriangular, a:rows(), a:columns(), a:values(), b, upper, flag 'unitDiagonal', flag 'transposed')
end

--- The LU factors of a sparse matrix, for many right-hand sides: SciPy's splu.
-- @param a (n, n), sparse or dense, of real or complex numbers
-- @tparam[opt] table options `solver`: 'umfpack', 'plain' (Lua), or 'auto' (UMFPACK where the system has it)
-- @treturn table with methods `solve(b, trans)`, `factors()`, `slogdet()`, `det()` and `size()`
-- @raise if a is singular, or the solver is missing
function solve.splu(a, options)
  options = check.options('splu', options, { 'solver' })
  a = factors.square('splu', a)
  return factors.object(a, factors.lu('splu', a, options.solver))
end

--- Incomplete LU factors of a sparse matrix, a preconditioner for iterative methods: SciPy's spilu. Elements that are small beside their
-- row are left out. Source: Y. Saad (1994), "ILUT", Numer. Linear Algebra Appl. 1.
-- @param a (n, n), sparse or dense
-- @tparam[opt] table options `dropTol` (1e-4): the part of a row's largest element up to which elements are left out
-- @treturn table as of `splu`: `solve` gives the solution of the product of the factors, as do `mv` and `rmv` of the transpose
-- @raise if a pivot is 0
function solve.spilu(a, options)
  options = check.options('spilu', options, { 'dropTol' })
  local dropped = check.number('spilu', 'dropTol', options.dropTol or 1e-4, { min = 0 })
  a = factors.square('spilu', a)
  a = a:_with(a:values():detach())
  return factors.object(a, factors.lu('spilu', a, nil, dropped))
end

--- The Cholesky factors of a sparse symmetric or Hermitian positive definite matrix, for many right-hand sides. CHOLMOD factors the matrix
-- where the system has it, otherwise Lua.
-- @param a (n, n), sparse or dense, of real or complex numbers; the factors are those of its lower triangle, whose diagonal is real
-- @tparam[opt] table options `solver`: 'cholmod', 'plain' (Lua), or 'auto' (CHOLMOD where the system has it)
-- @treturn table with the methods of `splu`, but for `factors()`: it returns the lower factor l and an order, for which l l' is the matrix
--   with rows and columns in this order
-- @raise if a is not positive definite, or the solver is missing
function solve.spcholesky(a, options)
  local where = 'spcholesky'
  options = check.options(where, options, { 'solver' })
  a = factors.square(where, a)
  return factors.object(a, require('torch.linalg.sparse_cholesky')(where, a, options.solver))
end

--- Solves a x = b for a sparse matrix a, by LU factors: SciPy's spsolve.
-- @param a (n, n), sparse or dense, of real or complex numbers
-- @tparam torch.Tensor b (n) or (n, k)
-- @tparam[opt] table options `solver` as of `splu`
-- @treturn torch.Tensor x of the sizes of b, in the common type of both
-- @raise if a is singular, or sizes don't fit
function solve.spsolve(a, b, options)
  options = check.options('spsolve', options, { 'solver' })
  a = factors.square('spsolve', a)
  b = factors.side('spsolve', b, a:size(1))
  return factors.object(a, factors.lu('spsolve', a, options.solver)):solve(b)
end

--- Makes a function that solves a x = b for many b, by LU factors: SciPy's factorized.
-- @param a (n, n), dense or sparse
-- @treturn function from b (n), or (n, k), to x
-- @raise if a is singular
function solve.factorized(a)
  if torch.isTensor(a) then
    a = matrix.square('factorized', 'a', a)
    if a:dim() ~= 2 then matrix.refuse('factorized', 'a', '%d dimensions, expected a matrix', a:dim()) end
    local lu, pivots, status = torch.linalg.luFactorEx(a)
    if status ~= 0 then matrix.refuse('factorized', 'a', 'U(%d,%d) is zero, expected a matrix that can be inverted', status, status) end
    return function(b) return torch.linalg.luSolve(lu, pivots, b) end
  end
  a = factors.square('factorized', a)
  local lu = factors.object(a, factors.lu('factorized', a))
  return function(b) return lu:solve(b) end
end

return solve
