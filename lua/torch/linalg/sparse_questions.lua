--- Questions about sparse matrices and operators by SciPy's names, and the Laplacian of a grid.
-- @module torch.linalg.sparse_questions
local torch = require 'torch'
local check = require 'torch.check'
local matrix, operator = require 'torch.linalg.matrix', require 'torch.linalg.operator'

local questions = {}

local function sparse(where, a)
  if torch.isTensor(a) and a:dim() == 2 then a = a:sparse() end
  if not torch.sparse.isSparse(a) or a:dim() ~= 2 then matrix.refuse(where, 'a', '%s, expected a matrix', check.describe(a)) end
  return a
end

--- How far entries of a sparse matrix are from the main diagonal.
-- @param a a sparse or dense matrix
-- @treturn int below it
-- @treturn int above it
function questions.spbandwidth(a)
  local s = sparse('spbandwidth', a)
  if s:nnz() == 0 then return 0, 0 end
  local indices = s:indices()
  local distance = indices[2] - indices[1]
  local least, most = tonumber(distance:min()), tonumber(distance:max())
  return least < 0 and -least or 0, most > 0 and most or 0
end

--- Whether a sparse matrix has entries on one side of the diagonal alone.
-- @param a a sparse or dense matrix
-- @treturn boolean whether it is lower triangular
-- @treturn boolean whether it is upper triangular
function questions.isSptriangular(a)
  local s = sparse('isSptriangular', a)
  local below, above = questions.spbandwidth(s)
  return above == 0, below == 0
end

--- The largest sum of magnitudes in a column: that of a matrix, or an estimate from below for an operator, from few products. Source: N.
-- Higham (1988), "FORTRAN codes for estimating the one-norm of a real or complex matrix", ACM Trans. Math. Softw. 14.
-- @param a (n, n): a sparse or dense matrix, or an operator with `mv` and `rmv`
-- @treturn number
function questions.onenormest(a)
  if torch.isTensor(a) or torch.sparse.isSparse(a) then
    local s = torch.sparse.isSparse(a) and a:coalesce() or matrix.square('onenormest', 'a', a)
    return s:nElement() == 0 and 0 or torch.max(torch.sum(torch.abs(s), 1))
  end
  local own = operator.of('onenormest', 'a', a, nil, nil, true)
  local n = own:size(1)
  if own:size(2) ~= n then matrix.refuse('onenormest', 'a', '[%d, %d], expected a square matrix', n, own:size(2)) end
  local x, best, last = torch.DoubleTensor(n):fill(1 / n), 0, nil
  for _ = 1, 5 do
    local y = own:mv(x)
    best = math.max(best, torch.norm(y, 1))
    local z = own:rmv(torch.to(torch.ge(y, 0), 'torch.DoubleTensor'):mul(2):add(-1))
    local largest, at = torch.max(torch.abs(z), 1)
    at = tonumber(at[1])
    if at == last or largest[1] <= torch.dot(z, x) then break end
    last, x = at, torch.DoubleTensor(n):zero()
    x[at] = 1
  end
  -- A vector that catches cancellation, as Higham adds it.
  local steps = torch.range(0, n - 1):double()
  local alternating = torch.cmul(torch.add(torch.div(steps, math.max(1, n - 1)), 1), torch.add(torch.mul(torch.remainder(steps, 2), -2), 1))
  return math.max(best, 2 * torch.norm(own:mv(alternating), 1) / (3 * n))
end

local function line(n, boundary)
  local diagonal, side = torch.DoubleTensor(n):fill(-2), torch.DoubleTensor(math.max(0, n - 1)):fill(1)
  if boundary == 'neumann' then
    diagonal[1] = diagonal[1] + 1
    diagonal[n] = diagonal[n] + 1
  end
  local list, offsets = { diagonal }, { 0 }
  if n > 1 then list, offsets = { side, diagonal, side }, { -1, 0, 1 } end
  local s = torch.sparse.diags(list, offsets, { n, n })
  if boundary == 'periodic' then
    s = s + torch.sparse.coo(torch.LongTensor { { 1, n }, { n, 1 } }, torch.DoubleTensor { 1, 1 }, { n, n })
  end
  return s
end

--- The Laplacian of a grid: second differences, summed over the dimensions. Points count row by row.
-- @tparam {int,...} shape points in each dimension
-- @string[opt='neumann'] boundary 'neumann', 'dirichlet' or 'periodic'
-- @treturn torch.SparseCSR symmetric, without positive eigenvalues
function questions.LaplacianNd(shape, boundary)
  local where = 'LaplacianNd'
  check.table(where, 'shape', shape)
  check.that(#shape > 0, where .. ': shape: no dimensions, expected 1 or more')
  boundary = check.choice(where, 'boundary', boundary or 'neumann', { 'neumann', 'dirichlet', 'periodic' })
  local sum, total = nil, 1
  for _, n in ipairs(shape) do total = total * check.int(where, 'shape', n, { min = 1 }) end
  check.that(total ^ 2 <= 2 ^ 53, ('%s: shape: %g points, expected a matrix of at most 2^53 places'):format(where, total), 'range')
  for _, n in ipairs(shape) do
    local own = line(n, boundary)
    sum = sum and torch.sparse.kronsum(own, sum) or own
  end
  return sum:csr():coalesce()
end

return questions
