--- Norms, products, least squares and questions about matrices, by the names and with the results of NumPy, PyTorch and SciPy.
-- @module torch.linalg.names
local torch = require 'torch'
local check = require 'torch.check'
local matrix, atCaller = require 'torch.linalg.matrix', require 'torch.linalg.at_caller'
local complex = require 'torch.names.complex'
local sizesOf = require('torch.check.message').sizes

local names = {}

--- A norm of matrices: `torch.matrix_norm`.
-- @tparam torch.Tensor a (…, m, n), of floats
-- @tparam[opt='fro'] number|string p 'fro', 'nuc', 1, -1, 2, -2, inf or -inf
-- @treturn number|torch.Tensor one for each matrix
-- @raise for another p, matrices without elements
function names.matrixNorm(a, p) return torch.matrix_norm(a, p) end

--- The orthogonal matrix of Householder's reflectors: `torch.orgqr`.
-- @tparam torch.Tensor m reflectors below the diagonal, as `torch.geqrf` returns them (…, m, n)
-- @tparam torch.Tensor tau their factors (…, k)
-- @treturn torch.Tensor (…, m, k)
function names.householderProduct(m, tau) return torch.orgqr(m, tau) end

--- The norm of vectors: of all elements, or along a dimension.
-- @tparam torch.Tensor x of floats
-- @number[opt=2] p any exponent; inf and -inf: the largest and smallest magnitude; 0: the number of elements that are not 0
-- @int[opt] dim which stays with size 1; all elements by default
-- @treturn number|torch.Tensor
function names.vectorNorm(x, p, dim)
  x = matrix.of('vectorNorm', 'x', x, 1)
  p = check.number('vectorNorm', 'p', p or 2)
  if dim == nil then
    local all = names.vectorNorm(torch.reshape(x, x:nElement()), p, 1)
    return all:isTracked() and all or all[1]
  end
  dim = check.dim('vectorNorm', 'dim', x, dim)
  local sizes = torch.abs(x)
  if p == math.huge then return (torch.max(sizes, dim)) end
  if p == -math.huge then return (torch.min(sizes, dim)) end
  if p == 0 then return torch.to(torch.sum(torch.ne(x, 0):long(), dim), complex.partType(x)) end
  if p > 0 then return torch.norm(x, p, dim) end
  return torch.pow(torch.sum(torch.pow(sizes, p), dim), 1 / p)
end

--- A norm of a vector or matrix: without p the root of the sum of all squares; with it `vectorNorm` of a vector, `matrixNorm` of matrices.
-- @tparam torch.Tensor x of floats
-- @tparam[opt] number|string p
-- @treturn number|torch.Tensor
function names.norm(x, p)
  x = matrix.of('norm', 'x', x, 1)
  if p == nil or x:dim() == 1 then return names.vectorNorm(x, p) end
  return torch.matrix_norm(x, p)
end

--- The x with minimal |a x - b|, and what it rests on.
-- @tparam torch.Tensor a (…, m, n) of any rank, of floats
-- @tparam torch.Tensor b (…, m, k), or (m)
-- @number[opt] rcond singular values up to rcond times the largest count as 0; by default max(m, n) epsilons
-- @treturn torch.Tensor x (…, n, k), or (n): the shortest of several
-- @treturn torch.Tensor residuals (…, k), or (1): sums of squares of a x - b
-- @treturn number|torch.Tensor the rank of each matrix
-- @treturn torch.Tensor singular values (…, min(m, n))
function names.lstsq(a, b, rcond)
  a = matrix.of('lstsq', 'a', a, 2)
  rcond = check.number('lstsq', 'rcond', rcond or -1)
  local sides, isVector = matrix.sides('lstsq', 'b', b, a:size(-2))
  local x = torch.lstsq(a, sides, rcond)
  local rest = torch.csub(torch.matmul(a, x), sides)
  local residuals = torch.sum(torch.real(torch.cmul(complex.conj(rest), rest)), rest:dim() - 1)
  residuals = torch.select(residuals, residuals:dim() - 1, 1)
  local _, s = torch.svd(a)
  return isVector and torch.select(x, x:dim(), 1) or x, residuals, torch.matrix_rank(a, rcond), s
end

--- The product of several matrices, in the order that takes the fewest multiplications. The first and the last one may be vectors.
-- @tparam {torch.Tensor,...} list at least two, of floats
-- @treturn torch.Tensor|number
function names.multiDot(list)
  check.table('multiDot', 'list', list)
  local count = #list
  if count < 2 then matrix.refuse('multiDot', 'list', '%d tensors, expected at least two', count) end
  local factors, sizes = {}, {}
  for i, x in ipairs(list) do
    local isEnd = i == 1 or i == count
    x = matrix.of('multiDot', ('list[%d]'):format(i), x, isEnd and 1 or 2)
    if x:dim() == 1 then x = torch.unsqueeze(x, i == 1 and 1 or 2) end
    if x:dim() ~= 2 then matrix.refuse('multiDot', ('list[%d]'):format(i), '%s, expected a matrix', sizesOf(x)) end
    if i > 1 and x:size(1) ~= sizes[i] then
      matrix.refuse('multiDot', ('list[%d]'):format(i), '%s, expected %d rows', sizesOf(list[i]), sizes[i])
    end
    factors[i], sizes[i], sizes[i + 1] = x, x:size(1), x:size(2)
  end
  local cost, cut = {}, {}
  for i = 1, count do cost[i], cut[i] = { [i] = 0 }, {} end
  for length = 2, count do
    for i = 1, count - length + 1 do
      local j = i + length - 1
      for k = i, j - 1 do
        local own = cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
        if not cost[i][j] or own < cost[i][j] then cost[i][j], cut[i][j] = own, k end
      end
    end
  end
  local function product(i, j)
    if i == j then return factors[i] end
    return torch.matmul(product(i, cut[i][j]), product(cut[i][j] + 1, j))
  end
  local result, isRow, isColumn = product(1, count), list[1]:dim() == 1, list[count]:dim() == 1
  if isRow and isColumn then return result:isTracked() and torch.reshape(result, 1) or result:item() end
  if isRow then return torch.select(result, 1, 1) end
  return isColumn and torch.select(result, 2, 1) or result
end

--- Products of vectors along a dimension, which vanishes: sums of the conjugate of x times y.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor y of sizes that broadcast with x
-- @int[opt=-1] dim
-- @treturn torch.Tensor|number
function names.vecdot(x, y, dim)
  x, y = matrix.of('vecdot', 'x', x, 1), matrix.of('vecdot', 'y', y, 1)
  local both = torch.cmul(unpack(torch.broadcastTensors(complex.conj(x), y)))
  dim = check.dim('vecdot', 'dim', both, dim or -1)
  if both:dim() == 1 then return torch.sum(both) end
  return torch.select(torch.sum(both, dim), dim, 1)
end

--- Matrices with rows as columns: `torch.transpose(x, -2, -1)`.
-- @tparam torch.Tensor x (…, m, n)
-- @treturn torch.Tensor a view (…, n, m)
function names.matrixTranspose(x)
  check.tensor('matrixTranspose', 'x', x)
  if x:dim() < 2 then matrix.refuse('matrixTranspose', 'x', '%s, expected a matrix or a batch of them', sizesOf(x)) end
  return matrix.t(x)
end

local function elements(sizes, first, last)
  local n = 1
  for d = first, last do n = n * sizes[d] end
  return n
end

local function part(sizes, first, last)
  local list = {}
  for d = first, last do list[#list + 1] = sizes[d] end
  return #list > 0 and list or { 1 }
end

--- Solves an equation of tensors: the x for which the sum of a times x, over the last dimensions of a and all of x, is b.
-- @tparam torch.Tensor a of sizes b:size(), then the sizes of x, with as many elements; of floats
-- @tparam torch.Tensor b
-- @treturn torch.Tensor x
-- @raise if the sizes don't fit, or the matrix is singular
function names.tensorsolve(a, b)
  a, b = matrix.of('tensorsolve', 'a', a, 1), matrix.of('tensorsolve', 'b', b, 1)
  local sizes, rows = a:size():totable(), b:nElement()
  if a:dim() <= b:dim() or elements(sizes, 1, b:dim()) ~= rows or elements(sizes, b:dim() + 1, a:dim()) ~= rows then
    matrix.refuse('tensorsolve', 'a', '%s, expected the sizes of b, %s, and others with as many elements', sizesOf(a), sizesOf(b))
  end
  local x = torch.solve(torch.reshape(a, rows, rows), torch.reshape(b, rows))
  return torch.reshape(x, torch.LongStorage(part(sizes, b:dim() + 1, a:dim())))
end

--- The inverse of a tensor for `torch.tensordot`: the product over the first `ind` dimensions of a is the identity.
-- @tparam torch.Tensor a whose first `ind` dimensions have as many elements as the others; of floats
-- @int[opt=2] ind
-- @treturn torch.Tensor with the other dimensions of a, then the first ones
-- @raise if the sizes don't fit, or the matrix is singular
function names.tensorinv(a, ind)
  a = matrix.of('tensorinv', 'a', a, 2)
  ind = check.int('tensorinv', 'ind', ind or 2, { min = 1, max = a:dim() - 1 })
  local sizes = a:size():totable()
  local rows = elements(sizes, 1, ind)
  if rows ~= elements(sizes, ind + 1, #sizes) then
    matrix.refuse('tensorinv', 'a', '%s, expected as many elements in the first %d dimensions as in the others', sizesOf(a), ind)
  end
  local turned = part(sizes, ind + 1, #sizes)
  for d = 1, ind do turned[#turned + 1] = sizes[d] end
  return torch.reshape(torch.inverse(torch.reshape(a, rows, rows)), torch.LongStorage(turned))
end

--- How far elements that are not 0 are from the main diagonal.
-- @tparam torch.Tensor a (m, n)
-- @treturn int below it
-- @treturn int above it
function names.bandwidth(a)
  a = matrix.of('bandwidth', 'a', a, 2)
  if a:dim() ~= 2 then matrix.refuse('bandwidth', 'a', '%s, expected a matrix', sizesOf(a)) end
  local below, above = 0, 0
  local places = torch.nonzero(a:detach())
  if places:nElement() > 0 then
    local distances = torch.csub(torch.select(places, 2, 1), torch.select(places, 2, 2))
    below, above = math.max(0, tonumber(torch.max(distances))), math.max(0, -tonumber(torch.min(distances)))
  end
  return below, above
end

-- Whether a matrix equals its transpose, or what `turned` makes of that.
local function isMirrored(where, a, rtol, atol, turned)
  a = matrix.of(where, 'a', a, 2):detach()
  if a:dim() ~= 2 then matrix.refuse(where, 'a', '%s, expected a matrix', sizesOf(a)) end
  return a:size(1) == a:size(2) and torch.allclose(a, turned(a:t()), rtol or 0, atol or 0)
end

--- Whether a matrix equals its transpose.
-- @tparam torch.Tensor a (m, n)
-- @number[opt=0] rtol tolerance relative to the magnitude of the elements
-- @number[opt=0] atol absolute tolerance
-- @treturn boolean
function names.issymmetric(a, rtol, atol)
  return isMirrored('issymmetric', a, rtol, atol, function(x) return x end)
end

--- Whether a matrix equals its conjugate transpose: for real elements the same as `issymmetric`.
-- @tparam torch.Tensor a (m, n)
-- @number[opt=0] rtol
-- @number[opt=0] atol
-- @treturn boolean
function names.ishermitian(a, rtol, atol) return isMirrored('ishermitian', a, rtol, atol, complex.conj) end

return atCaller(names)
