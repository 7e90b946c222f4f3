--- torch.matrix_power, by repeated squaring.
-- @module torch.ops.matrix_power
local torch = require 'torch'
local op = require 'torch.op'
local expect = require 'torch.check.expect'

-- Returns ones on the diagonals, in the sizes of a.
local function identity(a)
  local n = a:size(-1)
  return torch.expand(torch.to(torch.eye(n), a:type()), a:size())
end

op.declare {
  name = 'matrix_power',
  signature = '[res] a:tensor n:int',
  result = 'same', ulp = 64,
  precision = 'float32',
  doc = [[
The n-th power of a square matrix, or of each matrix of a batch (…, m, m): the product of n matrices a; the identity for n = 0; for n < 0
powers of the inverse, only for floats and complex numbers. Errors: matrices that are not square, a singular matrix for n < 0.]],
  samples = '{regular(3, 3), 2}, {regular(2, 2), 3}, {full(2, 2, 2), 0}, {regular(2, 3, 3), 1}, {regular(1, 1), 5}',
  forward = function(a, n)
    expect.squareMatrix('matrix_power', 'a', a)
    expect.numbers('matrix_power', 'a', a)
    if n % 1 ~= 0 or math.abs(n) > 2 ^ 53 then expect.range('matrix_power', 'n', '%g, expected a whole number', n) end
    if n < 0 then
      expect.inexact('matrix_power', 'a', a)
      a, n = torch.inverse(a), -n
    end
    if n == 0 then return torch.add(identity(a), 0) end
    local result
    while true do
      if n % 2 == 1 then result = result and torch.matmul(result, a) or a end
      n = math.floor(n / 2)
      if n == 0 then return rawequal(result, a) and torch.add(a, 0) or result end
      a = torch.matmul(a, a)
    end
  end,
}
