--- Functions from the singular values of a matrix of any rank: pinv, lstsq, matrix_rank.
-- @module torch.ops.pseudoinverse
local torch = require 'torch'
local op, extensions = require 'torch.op', require 'torch.extensions'
local expect, batch = require 'torch.check.expect', require 'torch.names.matrix_batch'
local sizesOf = require('torch.check.message').sizes
local C = require 'libmoontorch'

local adjoint = require('torch.names.complex').adjoint

local epsilon = { Half = 2 ^ -10, BFloat16 = 2 ^ -7, Float = 2 ^ -23, ComplexFloat = 2 ^ -23 }

local function expectMatrix(name, a)
  expect.matrix(name, 'a', a)
  expect.inexact(name, 'a', a)
end

-- Marks significant singular values: 1 for those above rcond times the largest, else 0; also returns u, s, v.
local function significant(a, rcond)
  local u, s, v = torch.svd(a)
  if rcond < 0 then rcond = math.max(a:size(-1), a:size(-2)) * (epsilon[C.dtypeOf(a)] or 2 ^ -52) end
  local least = torch.mul(torch.max(s, s:dim()), rcond)
  return torch.to(torch.gt(s, torch.expand(least, s:size())), s:type()), u, s, v
end

local function row(x) return torch.unsqueeze(x, x:dim()) end

local function plain(a, rcond)
  if a:nElement() == 0 then return torch.mul(adjoint(a), 1) end
  local counts, u, s, v = significant(a, rcond)
  -- Insignificant values are divided by 1, and then excluded.
  local inverse = torch.cdiv(counts, torch.add(torch.cmul(s, counts), torch.add(torch.mul(counts, -1), 1)))
  return torch.matmul(torch.cmul(v, row(inverse)), adjoint(u))
end

local product = torch.matmul

-- G. Golub & V. Pereyra (1973), "The differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate", eq.
-- 4.12, in reverse mode; ' is the adjoint. The rank is assumed constant.
local function gradient(g, p, a)
  local t, gt = adjoint(p), adjoint(g)
  local ga = torch.mul(product(product(t, g), t), -1)
  local outside = torch.csub(gt, product(product(a, p), gt))                      -- (1 - a p) g'
  ga = torch.add(ga, product(product(outside, p), t))
  local beyond = torch.csub(gt, product(product(gt, p), a))                       -- g' (1 - p a)
  return torch.add(ga, product(t, product(p, beyond)))
end

local onTape

local function pinv(a, rcond)
  if not C.tracked(a) then return plain(a, rcond) end
  onTape = onTape or extensions.get('tape').declare('pinv', plain, {
    arguments = { 'a', 'rcond' }, { saves = 'result, a', gradient = require 'torch.names.true_gradient'(gradient) },
  })
  return onTape(a, rcond)
end

op.declare {
  name = 'pinv',
  signature = '[res] a:tensor rcond:number=-1',
  result = 'same', integers = false, ulp = 64,
  precision = 'float32',
  doc = [[
The pseudoinverse of a matrix (…, m, n) -> (…, n, m), after Moore and Penrose. Singular values up to `rcond` times the largest count as 0;
by default rcond is max(m, n) epsilons. Its derivative assumes a constant rank. NaN and infinities are an error.]],
  samples = '{regular(3, 3)}, {regular(4, 2)}, {regular(2, 3)}, {regular(2, 3, 2)}',
  forward = function(a, rcond)
    expectMatrix('pinv', a)
    return pinv(a, rcond)
  end,
}

op.declare {
  name = 'lstsq',
  signature = '[res] a:tensor b:tensor rcond:number=-1',
  result = 'same', integers = false, ulp = 64,
  precision = 'float32',
  doc = [[
The x with minimal |a x - b|, and among several the shortest: a (…, m, n) of any rank, b (…, m, k) -> (…, n, k), or (m) -> (…, n); leading
dimensions broadcast. rcond as for pinv. gels is faster for full rank.]],
  samples = '{regular(4, 2), randn(4, 2)}, {regular(2, 3), randn(2)}, {regular(2, 3, 2), randn(3, 1)}, {regular(3, 3), randn(3, 2)}',
  forward = function(a, b, rcond)
    expectMatrix('lstsq', a)
    expect.inexact('lstsq', 'b', b)
    if b:dim() == 0 or b:size(b:dim() == 1 and 1 or -2) ~= a:size(-2) then
      expect.shape('lstsq', 'b', '%s, expected %d rows', sizesOf(b), a:size(-2))
    end
    for d = 3, math.min(a:dim(), b:dim()) do
      local m, n = a:size(-d), b:size(-d)
      if m ~= n and m ~= 1 and n ~= 1 then
        expect.shape('lstsq', 'b', '%s, expected dimensions that broadcast with %s', sizesOf(b), sizesOf(a))
      end
    end
    return product(pinv(a, rcond), b)
  end,
}

op.declare {
  name = 'matrix_rank',
  signature = '[res] a:tensor rcond:number=-1',
  result = 'index', integers = false, differentiable = false,
  precision = 'float32',
  doc = [[
The number of singular values above `rcond` times the largest, by default max(m, n) epsilons: a number; for a batch (…, m, n) a LongTensor
(…). NaN and infinities are an error.]],
  samples = '{regular(3, 3)}, {constant(1, 3, 3)}, {regular(2, 3, 2)}, {regular(3, 3), 2}, {full(0, 2, 2)}',
  forward = function(a, rcond)
    expectMatrix('matrix_rank', a)
    if a:size(-1) == 0 or a:size(-2) == 0 then return batch.each(torch.zeros(batch.count(a), 'int64'), a) end
    local counts = significant(C.detach(a), rcond)
    return batch.each(torch.sum(counts, counts:dim()):_as 'Long', a)
  end,
}
