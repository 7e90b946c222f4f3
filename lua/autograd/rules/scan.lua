-- Derivatives of scans.
local torch, C = require 'torch', require 'libmoontorch'
local rules, scan, onDeviceOf = require 'autograd.rules', require 'autograd.scan', require 'autograd.on_device_of'

local saving = rules.saving

-- Returns sums from each element to the last. (The total minus the sum before the element would lose small elements next to large ones.)
local function sumToLast(g, dim) return torch.flip(torch.cumsum(torch.flip(g, dim), dim), dim) end

rules.cumsum = { saving('dim', sumToLast) }

-- Computes the same without division, from n^2 elements for n along the dimension: the product of the elements before k, times the sum over
-- i >= k of g[i] and the product of the elements after k up to i.
local function byProducts(g, x, dim)
  local last = x:dim()
  local rows, gradients = torch.transpose(x, dim, last), torch.transpose(g, dim, last)
  local sizes, n = rows:size():totable(), x:size(dim)
  table.insert(sizes, last, n)                                     -- (..., k, i)
  local function square(t) return torch.expand(torch.unsqueeze(t, last), torch.LongStorage(sizes)) end
  local isAfter = torch.expand(torch.triu(torch.ones(n, n), 1), torch.LongStorage(sizes))
  local isFrom = torch.expand(torch.triu(torch.ones(n, n)), torch.LongStorage(sizes))
  local function on(t) return torch.gt(onDeviceOf(torch.contiguous(t), x), 0) end
  local after = torch.cumprod(torch.where(on(isAfter), square(rows), 1), last + 1)
  local sums = torch.sum(torch.where(on(isFrom), torch.cmul(square(gradients), after), 0), last + 1)
  return torch.cmul(scan.productBefore(x, dim), torch.transpose(torch.squeeze(sums, last + 1), dim, last))
end

-- The product without one of its factors is the product divided by this factor. If the factor is the first 0, it is the product with 1 in
-- its place; for a later 0, it is 0.
rules.cumprod = { saving('result, x, dim', function(g, y, x, dim)
  local isZero = torch.eq(x:detach(), 0)
  if not C.capturing() and not torch.any(isZero) then return torch.cdiv(sumToLast(torch.cmul(g, y), dim), x) end
  if C.gradMode() then return byProducts(g, x, dim < 0 and x:dim() + 1 + dim or dim) end
  local isFirst = torch.cmul(isZero, torch.eq(torch.cumsum(isZero:_as 'Long', dim), 1):typeAs(isZero))
  local others = torch.cumprod(torch.where(isFirst, 1, x), dim)
  local nonzero = torch.cdiv(sumToLast(torch.cmul(g, y), dim), torch.where(isZero, 1, x))
  return torch.where(isZero, torch.where(isFirst, sumToLast(torch.cmul(g, others), dim), 0), nonzero)
end) }

-- The gradient goes to the position of the extremum. Of the results only the position is saved: programs may write to the value.
local toPositions = saving('result[2], size(x), dim', function(g, positions, size, dim)
  return torch.gather_grad(g[1], size, dim, positions)
end)
rules.cummax, rules.cummin = { toPositions }, { toPositions }

-- exp(x[j] - y[i]) is never above 1; exp(x) and exp(-y) alone may be.
rules.logcumsumexp = { 'logcumsumexp_grad(g, x, result, dim)' }

-- A sum over pairs, linear in g. Each of its derivatives sums over the same pairs in the opposite order, or is a product with the sum
-- itself.
rules.logcumsumexp_grad = {
  saving('x, y, dim, transposed', function(h, x, y, dim, transposed)
    return torch.logcumsumexp_grad(h, x, y, dim, not transposed)
  end),
  saving('result, g, x, y, dim, transposed', function(h, result, g, x, y, dim, transposed)
    if not transposed then return torch.cmul(h, result) end
    return torch.cmul(g, torch.logcumsumexp_grad(h, x, y, dim, false))
  end),
  saving('result, g, x, y, dim, transposed', function(h, result, g, x, y, dim, transposed)
    if transposed then return torch.neg(torch.cmul(h, result)) end
    return torch.neg(torch.cmul(g, torch.logcumsumexp_grad(h, x, y, dim, true)))
  end),
}
