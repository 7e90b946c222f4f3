-- Norms of differences, and scaling of tensors to norms.
local torch = require 'torch'
local declare = require('torch.op').declare
local expect = require 'torch.check.expect'
local sizesOf = require('torch.check.message').sizes

declare {
  name = 'dist', signature = '[res] x:tensor y:tensor p:number=2', result = 'float', ulp = 16,
  precision = 'float32',
  doc = 'The p-norm of x - y, a number: see norm. Tensors with equally many elements are combined in order, others broadcast.',
  samples = '{nonzero(3, 4), randn(3, 4)}, {randn(3, 4), randn(12), 1}, {nonzero(5), randn(5), 3}, {randn(5), randn(5), 0}, '
    .. '{randn(5), randn(5), inf}, {randn(0), randn(0)}',
  forward = function(x, y, p) return torch.norm(torch.csub(x, y), p) end,
}

declare {
  name = 'cdist', signature = '[res] x:tensor y:tensor p:number=2', result = 'float', ulp = 16,
  precision = 'float32',
  doc = [[
The p-norms of the differences of each row of x and each row of y: (n, k) and (m, k) return (n, m), batches (b, n, k) and (b, m, k) return
(b, n, m). All n x m differences are in memory at once. Errors: other sizes.]],
  samples = '{nonzero(3, 4), randn(2, 4)}, {nonzero(3, 4), randn(3, 4), 1}, {nonzero(2, 3, 4), randn(2, 5, 4), 3}, '
    .. '{randn(3, 2), randn(4, 2), inf}, {randn(3, 2), randn(3, 2), 0}, {nonzero(1, 3), randn(1, 3)}, {randn(0, 3), randn(2, 3)}',
  forward = function(x, y, p)
    local d = x:dim()
    if d ~= 2 and d ~= 3 then expect.shape('cdist', 'x', '%s, expected rows or batches of rows', sizesOf(x)) end
    if y:dim() ~= d or y:size(d) ~= x:size(d) or d == 3 and y:size(1) ~= x:size(1) then
      expect.shape('cdist', 'y', '%s, expected rows of as many numbers as in %s', sizesOf(y), sizesOf(x))
    end
    local sizes = x:size():totable()
    table.insert(sizes, d, y:size(d - 1))
    sizes = torch.LongStorage(sizes)
    local rows = torch.expand(torch.unsqueeze(x, d), sizes)
    local others = torch.expand(torch.unsqueeze(y, d - 1), sizes)
    return torch.squeeze(torch.norm(torch.csub(rows, others), p, d + 1), d + 1)
  end,
}

-- A slice of norm `n` is multiplied by maxnorm / (n + smallest): Torch7's guard against division by 0.
local smallest = 1e-7

declare {
  name = 'renorm', signature = '[res] x:tensor p:number dim:dim maxnorm:number', result = 'same', method = 'inPlace',
  integers = false, ulp = 32,
  precision = 'float32',
  doc = [[
x with its slices along dim scaled so that none has a p-norm above maxnorm: such slices are multiplied by maxnorm / (norm + 1e-7). The
tensor has at least two dimensions, p is above 0.]],
  samples = '{nonzero(3, 4), 2, 1, 1}, {nonzero(3, 4), 1, 2, 2.5}, {nonzero(2, 3, 4), 3, -1, 1}, {nonzero(3, 4), 2, 1, 100}, '
    .. '{full(0, 2, 2), 2, 1, 1}',
  forward = function(x, p, dim, maxnorm)
    expect.inexact('renorm', 'x', x)
    if x:dim() < 2 then expect.shape('renorm', 'x', '%s, expected at least two dimensions', sizesOf(x)) end
    dim = expect.whichDim('renorm', 'dim', x, dim)
    if p ~= p or p <= 0 then expect.range('renorm', 'p', '%g, expected a number above 0', p) end
    if maxnorm ~= maxnorm or maxnorm < 0 then expect.range('renorm', 'maxnorm', '%g, expected 0 or more', maxnorm) end
    if x:nElement() == 0 then return torch.clone(x) end
    local n, sizes = x:size(dim), {}
    for d = 1, x:dim() do sizes[d] = d == dim and n or 1 end
    local slices = torch.reshape(torch.transpose(x, 1, dim), n, x:nElement() / n)
    local norms = torch.norm(slices, p, 2)
    local scale = torch.mul(torch.cinv(torch.add(norms, smallest)), maxnorm)
    return torch.cmul(x, torch.expand(torch.reshape(torch.where(torch.gt(norms, maxnorm), scale, 1), sizes), x:size()))
  end,
}
