--- Resampling along one dimension of a tensor, composed of differentiable ops.
-- @module nn.resample
local torch = require 'torch'

local resample = {}

-- x with dimension `dim` split into two of those sizes.
local function splitDim(x, dim, first, second)
  local size = x:size():totable()
  size[dim] = first
  table.insert(size, dim + 1, second)
  return torch.reshape(x, size)
end

-- A list of numbers as a tensor of x's type that broadcasts along dimension `dim` (and the one behind it) of a tensor with `dims`.
local function along(x, dim, dims, sizes, list)
  local shape = {}
  for d = 1, dims do shape[d] = 1 end
  for i, size in ipairs(sizes) do shape[dim + i - 1] = size end
  return torch.reshape(torch.DoubleTensor(list):type(x:type()), shape)
end

--- `size` slices between the first and the last, at equal distances, interpolated linearly (corners aligned).
-- @tparam torch.Tensor x
-- @tparam int dim
-- @tparam int size
function resample.linear(x, dim, size)
  local n = x:size(dim)
  if n == size then return x end
  local below, above, weights = torch.LongTensor(size), torch.LongTensor(size), {}
  for i = 1, size do
    local at = size > 1 and (i - 1) * (n - 1) / (size - 1) or 0
    local first = math.min(math.floor(at), n - 1)
    below[i], above[i], weights[i] = first + 1, math.min(first + 2, n), at - first
  end
  local weight = along(x, dim, x:dim(), { size }, weights)
  local first = torch.index(x, dim, below)
  return torch.add(first, torch.cmul(torch.csub(torch.index(x, dim, above), first), weight))
end

--- Each slice `times` times.
function resample.nearest(x, dim, times)
  if times == 1 then return x end
  local size = x:size():totable()
  table.insert(size, dim + 1, times)
  local repeated = torch.expand(torch.unsqueeze(x, dim + 1), size)
  table.remove(size, dim + 1)
  size[dim] = size[dim] * times
  return torch.reshape(repeated, size)
end

-- Bins i of `count`, from floor(i n / count) to ceil((i + 1) n / count): positions, all bins with as many as the largest; smaller ones
-- name their last again. Also each bin's true length, and that of the largest.
local function bins(n, count)
  local firsts, lengths, most = {}, {}, 0
  for i = 1, count do
    firsts[i] = math.floor((i - 1) * n / count)
    lengths[i] = math.ceil(i * n / count) - firsts[i]
    most = math.max(most, lengths[i])
  end
  local positions = torch.LongTensor(count * most)
  for i = 1, count do
    for k = 1, most do positions[(i - 1) * most + k] = firsts[i] + math.min(k, lengths[i]) end
  end
  return positions, lengths, most
end

--- The mean of each bin: bin i of `count` goes from slice floor((i - 1) n / count) + 1 to ceil(i n / count).
function resample.means(x, dim, count)
  local n = x:size(dim)
  if n == count then return x end
  if count == 1 then return torch.mean(x, dim) end
  if n % count == 0 then
    local split = splitDim(x, dim, count, n / count)
    return torch.squeeze(torch.mean(split, dim + 1), dim + 1)
  end
  local positions, lengths, most = bins(n, count)
  local weights = {}
  for i = 1, count do
    for k = 1, most do weights[#weights + 1] = k <= lengths[i] and 1 / lengths[i] or 0 end
  end
  local split = splitDim(torch.index(x, dim, positions), dim, count, most)
  local weighted = torch.cmul(split, along(x, dim, split:dim(), { count, most }, weights))
  return torch.squeeze(torch.sum(weighted, dim + 1), dim + 1)
end

--- The largest of each bin, as for means, and where in the bin it is, from 1: the first of equals.
function resample.maxima(x, dim, count)
  local positions, _, most = bins(x:size(dim), count)
  local values, places = torch.max(splitDim(torch.index(x, dim, positions), dim, count, most), dim + 1)
  return torch.squeeze(values, dim + 1), torch.squeeze(places, dim + 1)
end

--- Of each bin the slice that `places` names, as `maxima` gives them.
function resample.chosen(x, dim, count, places)
  local positions, _, most = bins(x:size(dim), count)
  local split = splitDim(torch.index(x, dim, positions), dim, count, most)
  return torch.squeeze(torch.gather(split, dim + 1, torch.unsqueeze(places, dim + 1)), dim + 1)
end

return resample
