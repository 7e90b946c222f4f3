--- Embeddings as functions, in nn.functional. Positions count from 1.
-- @module nn.functional.embeddings
local torch, check = require 'torch', require 'torch.check'
local signature, lookup, onDeviceOf = require 'nn.support.signature', require 'nn.support.lookup', require 'autograd.on_device_of'
local sizesOf = require('torch.check.message').sizes

local functional = {}

local paddingIdx = { 'paddingIdx', 'int', min = 1, optional = true }
local maxNorm, normType = { 'maxNorm', 'number', min = 0, optional = true }, { 'normType', 'number', default = 2 }
local scaleGradByFreq, sparse = { 'scaleGradByFreq', 'boolean', default = false }, { 'sparse', 'boolean', default = false }

-- Returns positions as a vector.
local function positions(where, x, count)
  local rows = x:detach():_as 'Long':contiguous():view(-1)
  require 'nn.support.classRange'(where, rows, 1, count, 'input')
  return rows
end

local function checkWeight(where, weight)
  if weight:dim() ~= 2 then check.raise(('%s: weight: %s, expected (count, size)'):format(where, sizesOf(weight)), 'shape') end
end

--- Rows of a matrix by their positions.
-- @function embedding
-- @tparam torch.Tensor input positions (…), a tensor of any dtype
-- @tparam torch.Tensor weight (count, size)
-- @tparam[opt] int paddingIdx a row without gradient
-- @tparam[opt] number maxNorm used rows with a larger norm are scaled to this norm, in `weight`
-- @tparam[opt=2] number normType of maxNorm
-- @tparam[opt=false] boolean scaleGradByFreq divides each row's gradient by the number of its uses
-- @tparam[opt=false] boolean sparse the gradient of the weight, a leaf, has the rows that were used alone: an torch.RowGradient
-- @treturn torch.Tensor (…, size)
functional.embedding = signature('nn.functional.embedding', {
  { 'input', 'tensor' }, { 'weight', 'tensor' }, paddingIdx, maxNorm, normType, scaleGradByFreq, sparse,
}, function(input, weight, padding, limit, kind, byFrequency, isSparse)
  checkWeight('nn.functional.embedding', weight)
  local rows = positions('nn.functional.embedding', input, weight:size(1))
  local y = lookup.rows(weight, rows, {
    maxNorm = limit, normType = kind, padding = padding, byFrequency = byFrequency, sparse = isSparse,
  })
  local sizes = input:size():totable()
  sizes[#sizes + 1] = weight:size(2)
  return torch.view(y, torch.LongStorage(sizes))
end)

-- Raises an error if a bag does not begin where it may.
local function checkOffsets(where, offsets, count)
  local list, last = offsets:totable(), 1
  for i = 1, #list do
    if list[i] < last or list[i] > count + 1 or i == 1 and list[i] ~= 1 then
      check.raise(('%s: offsets: %d at place %d, expected a position from %d to %d'):format(where, list[i], i, last,
        i == 1 and 1 or count + 1), 'range')
    end
    last = list[i]
  end
end

-- Returns the positions of all bags, and where each bag begins: nothing if bags are the rows of a matrix.
local function bagsOf(where, input, offsets, includeLast)
  local rows = input:detach():_as 'Long'
  if input:dim() == 2 then
    if offsets then check.raise(('%s: offsets: expected none for an input of 2 dimensions'):format(where)) end
    return rows
  end
  if input:dim() ~= 1 then check.raise(('%s: input: %s, expected 1 or 2 dimensions'):format(where, sizesOf(input)), 'shape') end
  if not offsets then check.raise(('%s: offsets: nil, expected a tensor, as the input has 1 dimension'):format(where)) end
  local begins = check.tensor(where, 'offsets', offsets):long():contiguous():view(-1)
  checkOffsets(where, begins, input:size(1))
  local bags = begins:nElement()
  if includeLast and bags > 0 then
    rows, begins = rows:narrow(1, 1, begins[bags] - 1), begins:narrow(1, 1, bags - 1)
  end
  return rows, onDeviceOf(begins, rows)
end

-- Returns the rows of the matrix that bags use, whose gradient the matrix gets as rows, and their positions in this selection.
local function usedRows(where, weight, rows, padding, options)
  local all = positions(where, rows, weight:size(1))
  if all:nElement() == 0 then return weight, rows, padding end
  local places = torch.range(1, all:nElement()):long()
  options.padding = padding
  local used = lookup.rows(weight, all, options)
  local left = padding and torch.nonzero(all:eq(padding)):view(-1)
  if left and left:nElement() > 0 then places:indexFill(1, left:long(), left[1]) end
  return used, onDeviceOf(places, weight):view(rows:size()), left and left:nElement() > 0 and tonumber(left[1]) or nil
end

--- Sums, means or maxima of bags of rows.
-- @function embeddingBag
-- @tparam torch.Tensor input positions: (bags, length), or a vector with `offsets`
-- @tparam torch.Tensor weight (count, size)
-- @tparam[opt] torch.Tensor offsets where each bag begins in the vector, from 1
-- @tparam[opt] number maxNorm used rows with a larger norm are scaled to this norm, in `weight`
-- @tparam[opt=2] number normType of maxNorm
-- @tparam[opt=false] boolean scaleGradByFreq divides each row's gradient by the number of its uses
-- @tparam[opt='mean'] string mode 'sum', 'mean' or 'max'
-- @tparam[opt] torch.Tensor perSampleWeights factors of the rows, of the input's size, with mode 'sum'
-- @tparam[opt=false] boolean includeLastOffset whether the last offset is the end of the last bag
-- @tparam[opt] int paddingIdx a row that bags leave out
-- @tparam[opt=false] boolean sparse the gradient of the weight, a leaf, has the rows that were used alone, as of `embedding`; not for 'max'
-- @treturn torch.Tensor (bags, size), 0 for empty bags
functional.embeddingBag = signature('nn.functional.embeddingBag', {
  { 'input', 'tensor' }, { 'weight', 'tensor' }, { 'offsets', 'tensor', optional = true }, maxNorm, normType, scaleGradByFreq,
  { 'mode', 'choice', choices = { 'sum', 'mean', 'max' }, default = 'mean' }, { 'perSampleWeights', 'tensor', optional = true },
  { 'includeLastOffset', 'boolean', default = false }, paddingIdx, sparse,
}, function(input, weight, offsets, limit, kind, byFrequency, mode, factors, includeLast, padding, isSparse)
  local where = 'nn.functional.embeddingBag'
  checkWeight(where, weight)
  if factors and (mode ~= 'sum' or factors:nElement() ~= input:nElement()) then
    check.raise(("%s: perSampleWeights: %s, expected the input's size, and mode 'sum'"):format(where, sizesOf(factors)))
  end
  if isSparse and mode == 'max' then check.raise(where .. ": sparse: true, expected false with mode 'max'") end
  local rows, begins = bagsOf(where, input, offsets, includeLast)
  if isSparse then
    local options = { maxNorm = limit, normType = kind, byFrequency = byFrequency, sparse = true }
    weight, rows, padding = usedRows(where, weight, rows, padding, options)
  elseif limit or byFrequency then
    local all = positions(where, rows, weight:size(1))
    if padding then all = all:index(1, torch.nonzero(all:ne(padding)):view(-1)) end
    if limit then torch.noGrad(lookup.renorm, weight, all, limit, kind) end
    if byFrequency then weight = lookup.sharedByUses(weight, all) end
  end
  factors = factors and torch.view(factors:contiguous(), -1)
  if factors and factors:nElement() > rows:nElement() then factors = factors:narrow(1, 1, rows:nElement()) end
  local done, y
  if mode == 'max' then
    done, y = pcall(torch.bagMax, weight, rows, padding or 0, begins)
  else
    done, y = pcall(torch.bagSum, weight, rows, mode == 'mean', padding or 0, begins, factors)
  end
  if done then return y end
  positions(where, rows, weight:size(1))                     -- whose error speaks of the input
  return (check.call(error, y, 0))
end)

--- Vectors with a 1 at a class.
-- @function oneHot
-- @tparam torch.Tensor tensor classes from 1, (…)
-- @tparam[opt=-1] int numClasses by default the largest class
-- @treturn torch.LongTensor (…, numClasses)
functional.oneHot = signature('nn.functional.oneHot', { { 'tensor', 'tensor' }, { 'numClasses', 'int', default = -1 } }, function(x, count)
  local numbers = x:detach():_as 'Long':contiguous():view(-1)
  if count < 0 then
    if numbers:nElement() == 0 then check.raise 'nn.functional.oneHot: tensor: no classes, expected numClasses, too' end
    count = numbers:max()
  end
  require 'nn.support.classRange'('nn.functional.oneHot', numbers, 1, count)
  local sizes = x:size():totable()
  sizes[#sizes + 1] = count
  local result = onDeviceOf(torch.LongTensor(numbers:nElement(), count):zero(), x)
  if numbers:nElement() > 0 then result:scatter(2, numbers:view(-1, 1), 1) end
  return result:view(torch.LongStorage(sizes))
end)

return functional
