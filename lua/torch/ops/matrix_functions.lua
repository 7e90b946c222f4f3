-- Functions of matrices: the exponential, the condition number, the null space.
local torch = require 'torch'
local declare = require('torch.op').declare
local expect, batch = require 'torch.check.expect', require 'torch.names.matrix_batch'

-- Returns ones on the diagonals, in the sizes of a.
local function identity(a)
  return torch.expand(torch.to(torch.eye(a:size(-1)):to(a:device()), a:type()), a:size())
end

-- Coefficients of the diagonal Padé approximant of degree 13 of the exponential, which is exact to 2^-53 up to a 1-norm of 5.37.
local pade = { 64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600, 670442572800,
  33522128640, 1323241920, 40840800, 960960, 16380, 182, 1 }
local reach = 5.371920351148152

-- Returns c[k] a^0 + c[k + 2] a^2 + ..., from even powers.
local function combined(k, count, powers)
  local sum
  for i = count, 1, -1 do
    local term = torch.mul(powers[i], pade[k + 2 * (i - 1)])
    sum = sum and torch.add(sum, term) or term
  end
  return sum
end

local function norm(a) return torch.max(torch.sum(torch.abs(a), -2)) end

-- Returns by how many squarings fewer than the norm of a asks for are enough, because b's powers b4 and b6 are small next to that norm.
-- b: a scaled by a power of 2 to a 1-norm of at most `reach`. Source: Al-Mohy & Higham (2009), "A New Scaling and Squaring Algorithm for
-- the Matrix Exponential", SIAM J. Matrix Anal. Appl. 31, algorithm 5.1.
local function needless(b, b4, b6)
  local size = math.max(norm(b6) ^ (1 / 6), math.min(norm(torch.matmul(b4, b4)) ^ (1 / 8), norm(torch.matmul(b4, b6)) ^ (1 / 10)))
  local most = size > 0 and math.floor(math.log(reach / size) / math.log(2)) or math.huge
  if most <= 0 then return 0 end
  -- Rounding errors grow with the norms of powers of |b|, by which the approximant's backward error is bounded.
  local magnitudes = torch.abs(b)
  local row = torch.mul(torch.narrow(magnitudes, -2, 1, 1), 0):add(1)
  for _ = 1, 27 do row = torch.matmul(row, magnitudes) end
  local bound = torch.max(row) / norm(b) / 113250775606021113483283660800000000 * 2 ^ 53
  local spare = bound > 0 and math.floor(-math.log(bound) / math.log(2) / 26) or math.huge
  return math.max(0, math.min(most, spare))
end

declare {
  name = 'expm', signature = '[res] a:tensor', result = 'same', integers = false, ulp = 256,
  precision = 'float32',
  doc = [[
The exponential of a square matrix, 1 + a + a^2 / 2 + ..., or of each matrix of a batch (…, n, n): a Padé approximant of degree 13 of a /
2^s, squared s times. Sources: Higham (2005), "The Scaling and Squaring Method for the Matrix Exponential Revisited", SIAM J. Matrix Anal.
Appl. 26; for s, Al-Mohy & Higham (2009), "A New Scaling and Squaring Algorithm for the Matrix Exponential", SIAM J. Matrix Anal. Appl.
31. (The exponential of each element is exp.) Errors: matrices that are not square.]],
  samples = '{regular(3, 3)}, {unit(2, 2)}, {unit(2, 3, 3)}, {constant(0, 2, 2)}',
  forward = function(a)
    expect.squareMatrix('expm', 'a', a)
    expect.inexact('expm', 'a', a)
    if a:nElement() == 0 then return torch.clone(a) end
    if a:elementSize() == 2 then a = a:_as 'Float' end             -- the coefficients need its range
    local size = norm(a:detach())
    if size ~= size or size == math.huge then return torch.add(torch.mul(a, 0), 0 / 0) end
    local squarings = size > reach and math.ceil(math.log(size / reach) / math.log(2)) or 0
    a = torch.mul(a, 2 ^ -squarings)
    local unit, a2 = identity(a), torch.matmul(a, a)
    local a4 = torch.matmul(a2, a2)
    local a6 = torch.matmul(a2, a4)
    local fewer = squarings > 0 and math.min(squarings, needless(a:detach(), a4:detach(), a6:detach())) or 0
    if fewer > 0 then
      squarings, a = squarings - fewer, torch.mul(a, 2 ^ fewer)
      a2, a4, a6 = torch.mul(a2, 4 ^ fewer), torch.mul(a4, 16 ^ fewer), torch.mul(a6, 64 ^ fewer)
    end
    local low, high = { unit, a2, a4, a6 }, { a2, a4, a6 }
    local odd = torch.matmul(a, torch.add(torch.matmul(a6, combined(10, 3, high)), combined(2, 4, low)))
    local even = torch.add(torch.matmul(a6, combined(9, 3, high)), combined(1, 4, low))
    local result = torch.solve(torch.csub(even, odd), torch.add(even, odd))
    for _ = 1, squarings do result = torch.matmul(result, result) end
    return result
  end,
}

declare {
  name = 'cond', signature = '[res] a:tensor p:number|string?', result = 'same', integers = false, ulp = 256,
  precision = 'float32',
  doc = [[
The condition number of a matrix, a number; for a batch (…, m, n) those of all matrices: (…). For p = 2 the ratio of the largest and the
smallest singular value, for p = -2 its reciprocal; for the other p of matrix_norm, square matrices only, the norm times that of the
inverse. For a singular matrix: infinity (0 for p = -2). Errors: as for matrix_norm.]],
  samples = "{regular(3, 3)}, {regular(3, 2)}, {regular(2, 3, 3), 1}, {regular(3, 3), 'fro'}, {regular(2, 3, 3)}, {regular(3, 3), -2}",
  forward = function(a, p)
    p = p or 2
    expect.matrix('cond', 'a', a)
    expect.inexact('cond', 'a', a)
    if a:nElement() == 0 then expect.fail('cond', 'a', 'no elements, expected at least one') end
    if p == 2 or p == -2 then
      local _, s = torch.svd(a)
      local last = s:dim()
      local count = s:size(last)
      local largest, smallest = torch.narrow(s, last, 1, 1), torch.narrow(s, last, count, 1)
      if p == -2 then largest, smallest = smallest, largest end
      return batch.each(torch.contiguous(torch.cdiv(largest, smallest)), a)
    end
    expect.squareMatrix('cond', 'a', a)
    local own = torch.matrix_norm(a, p)                             -- raises the error for an unsupported p
    local invertible, inverse = pcall(torch.inverse, a)
    if not invertible and tostring(inverse):find 'singular' and a:dim() == 2 then return math.huge end
    if not invertible then error(inverse, 0) end
    local others = torch.matrix_norm(inverse, p)
    if type(own) == 'number' then return own * others end
    return torch.cmul(own, others)
  end,
}

declare {
  name = 'nullSpace', signature = '[res] a:tensor rcond:number?', result = 'same', integers = false, differentiable = false,
  precision = 'float32',
  doc = [[
Orthonormal columns that span the null space of a matrix (m, n): (n, n - rank), from the singular value decomposition. Singular values up to
rcond times the largest count as 0; default for rcond: max(m, n) times the type's epsilon. Errors: a is not a matrix.]],
  samples = '{constant(1, 2, 3)}, {constant(0, 2, 2)}, {regular(3, 3)}, {constant(1, 3, 1)}',
  forward = function(a, rcond)
    expect.dim('nullSpace', 'a', a, 2, 'a matrix')
    expect.inexact('nullSpace', 'a', a)
    local m, n = a:size(1), a:size(2)
    if a:nElement() == 0 then return torch.to(torch.eye(n), a:type()) end
    local _, s, v = torch.svd(a, 'A')
    local epsilon = ({ [4] = 2 ^ -23, [2] = 2 ^ -10 })[s:elementSize()] or 2 ^ -52
    local least = s[1] * (rcond or math.max(m, n) * epsilon)
    local rank = torch.sum(torch.gt(s, least))
    return torch.clone(torch.narrow(v, 2, rank + 1, n - rank))
  end,
}
