--- NumPy's names of set operations: distinct elements, their positions and counts; common, different and all elements.
-- @module torch.names.sets_1d
local torch, check = require 'torch', require 'torch.check'

local sets = {}

--- Returns the distinct elements of exactly one of two tensors, in ascending order.
-- @tparam torch.Tensor a
-- @tparam torch.Tensor b
-- @treturn torch.Tensor vector
function sets.setxor1d(a, b)
  check.tensor('setxor1d', 'a', a)
  check.tensor('setxor1d', 'b', b)
  return torch.union(torch.setdiff(a, b), torch.setdiff(b, a))
end

--- Returns the distinct elements in ascending order.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor vector
function sets.uniqueValues(x) return (torch.unique(check.tensor('uniqueValues', 'x', x))) end

--- Returns the distinct elements, and how often each occurs.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor vector
-- @treturn torch.LongTensor counts
function sets.uniqueCounts(x)
  local values, _, counts = torch.unique(check.tensor('uniqueCounts', 'x', x))
  return values, counts
end

--- Returns the distinct elements, and for each element of x the position of its value among these.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor vector
-- @treturn torch.LongTensor positions, of x's sizes
function sets.uniqueInverse(x)
  local values, inverse = torch.unique(check.tensor('uniqueInverse', 'x', x))
  return values, inverse
end

-- Returns for each of `count` groups the first position with it.
local function firsts(groups, count)
  local n = groups:nElement()
  if n == 0 then return torch.LongTensor(0) end
  local order = torch.argsort(groups)
  local sorted = torch.index(groups, 1, order)
  return torch.index(order, 1, torch.searchsorted(sorted, torch.range(1, count):long()))
end

--- Returns all about the distinct elements: values, first positions, positions of values, counts.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor distinct elements, a vector
-- @treturn torch.LongTensor for each the position of its first occurrence, through all elements of x
-- @treturn torch.LongTensor for each element of x the position of its value, of x's sizes
-- @treturn torch.LongTensor for each how often it occurs
function sets.uniqueAll(x)
  local values, inverse, counts = torch.unique(check.tensor('uniqueAll', 'x', x))
  return values, firsts(torch.reshape(inverse, inverse:nElement()), values:nElement()), inverse, counts
end

--- Returns the distinct slices of a dimension in the order of their elements, as NumPy's unique with an axis.
-- @tparam torch.Tensor x
-- @int[opt=1] dim
-- @treturn torch.Tensor x's sizes but for dim
-- @treturn torch.LongTensor for each of these the position of its first occurrence
-- @treturn torch.LongTensor for each slice of x the position among these
-- @treturn torch.LongTensor for each of these how often it occurs
function sets.uniqueSlices(x, dim)
  check.tensor('uniqueSlices', 'x', x)
  dim = check.dim('uniqueSlices', 'dim', x, dim or 1)
  local n = x:size(dim)
  if n == 0 then return torch.clone(x), torch.LongTensor(0), torch.LongTensor(0), torch.LongTensor(0) end
  local rows = torch.reshape(torch.movedim(x:detach(), dim, 1), n, x:nElement() / n)
  local order, keys = torch.range(1, n):long(), {}
  for k = rows:size(2), 1, -1 do keys[#keys + 1] = torch.select(rows, 2, k):contiguous() end
  if #keys > 0 then order = n == 1 and order or torch.lexsort(keys) end
  local begins = torch.ones(n, 'int64')
  if n > 1 then
    if #keys > 0 then
      local sorted = torch.index(rows, 1, order)
      local differs = torch.ne(sorted:narrow(1, 2, n - 1), sorted:narrow(1, 1, n - 1)):long()
      begins:narrow(1, 2, n - 1):copy(torch.cmin(torch.sum(differs, 2):view(-1), 1))
    else
      begins:narrow(1, 2, n - 1):zero()
    end
  end
  local group = torch.cumsum(begins, 1)
  local inverse = torch.scatter(torch.zeros(n, 'int64'), 1, order, group)
  local places = torch.index(order, 1, torch.nonzero(begins):view(-1))
  return torch.index(x, dim, places), places, inverse, torch.bincount(group)
end

return sets
