--- torch.matrix_norm: norms of matrices, in addition to those of their elements.
-- @module torch.ops.matrix_norm
local torch = require 'torch'
local op = require 'torch.op'
local expect, batch = require 'torch.check.expect', require 'torch.names.matrix_batch'
local sizesOf = require('torch.check.message').sizes

local function singularValues(a)
  local _, s = torch.svd(a)
  return s
end

-- Returns the maximum along dimension `dim`, which keeps size 1.
local function largest(x, dim) return (torch.max(x, dim)) end
local function smallest(x, dim) return (torch.min(x, dim)) end
local function absoluteSums(a, dim) return torch.sum(torch.abs(a), a:dim() + dim + 1) end

local norms = {
  fro = function(a)                                                -- of all elements at once, so that a row of zeros is not a kink
    local sizes = a:size():totable()
    sizes[#sizes - 1], sizes[#sizes] = 1, sizes[#sizes - 1] * sizes[#sizes]
    return torch.norm(torch.reshape(a, torch.LongStorage(sizes)), 2, a:dim())
  end,
  nuc = function(a) return torch.sum(singularValues(a), a:dim() - 1) end,
  [2] = function(a) return torch.narrow(singularValues(a), a:dim() - 1, 1, 1) end,
  [-2] = function(a) return torch.narrow(singularValues(a), a:dim() - 1, math.min(a:size(-1), a:size(-2)), 1) end,
  [1] = function(a) return largest(absoluteSums(a, -2), a:dim()) end,
  [-1] = function(a) return smallest(absoluteSums(a, -2), a:dim()) end,
  [math.huge] = function(a) return largest(absoluteSums(a, -1), a:dim() - 1) end,
  [-math.huge] = function(a) return smallest(absoluteSums(a, -1), a:dim() - 1) end,
}

op.declare {
  name = 'matrix_norm',
  signature = '[res] a:tensor p:number|string=fro',
  result = 'same', integers = false, ulp = 32,
  precision = 'float32',
  doc = [[
A norm of a matrix, real or complex, a real number; for a batch (…, m, n) those of all matrices: (…). p: 'fro', the root of the sum of
squares; 'nuc', the sum of the singular values; 2 and -2, the largest and the smallest singular value; 1 and -1, the largest and smallest
sum of magnitudes of a column; inf and -inf, of a row. Errors: another p, a matrix without elements, NaN if singular values are needed.]],
  samples = "{regular(3, 2)}, {regular(3, 3), 'nuc'}, {regular(2, 3), 2}, {regular(3, 3), 1}, {regular(3, 2), inf}, "
    .. "{regular(2, 3, 3), 'fro'}, " .. '{regular(2, 2, 3), -1}, {regular(3, 3), -2}, {regular(2, 3, 3), -inf}',
  forward = function(a, p)
    expect.matrix('matrix_norm', 'a', a)
    expect.inexact('matrix_norm', 'a', a)
    if not norms[p] then
      error(("matrix_norm: p: %s, expected one of 'fro', 'nuc', 1, -1, 2, -2, inf, -inf"):format(tostring(p)), 0)
    end
    if a:nElement() == 0 then expect.shape('matrix_norm', 'a', '%s, expected at least one element', sizesOf(a)) end
    return batch.each(torch.contiguous(norms[p](a)), a)
  end,
}
