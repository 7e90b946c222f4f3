--- Embeddings as functions, in nn.functional. Positions count from 1.
-- @module nn.functional.embeddings
local torch, check = require 'torch', require 'torch.check'
local signature, lookup, onDeviceOf = require 'nn.support.signature', require 'nn.support.lookup', require 'autograd.on_device_of'
local sizesOf = require('torch.check.message').sizes

local functional = {}

local paddingIdx = { 'paddingIdx', 'int', min = 1, optional = true }
local maxNorm, normType = { 'maxNorm', 'number', min = 0, optional = true }, { 'normType', 'number', default = 2 }
local scaleGradByFreq = { 'scaleGradByFreq', 'boolean', default = false }

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
-- @treturn torch.Tensor (…, size)
functional.embedding = signature('nn.functional.embedding', {
  { 'input', 'tensor' }, { 'weight', 'tensor' }, paddingIdx, maxNorm, normType, scaleGradByFreq,
}, function(input, weight, padding, limit, kind, byFrequency)
  checkWeight('nn.functional.embedding', weight)
  local rows = positions('nn.functional.embedding', input, weight:size(1))
  local y = lookup.rows(weight, rows, { maxNorm = limit, normType = kind, padding = padding, byFrequency = byFrequency })
  local sizes = input:size():totable()
  sizes[#sizes + 1] = weight:size(2)
  return torch.view(y, torch.LongStorage(sizes))
end)

-- Returns the bag of each position, and the number of bags.
local function bagsOf(where, input, offsets, includeLast)
  if input:dim() == 2 then
    local bags, length = input:size(1), input:size(2)
    if offsets then check.raise(('%s: offsets: expected none for an input of 2 dimensions'):format(where)) end
    return torch.reshape(torch.expand(torch.range(1, bags):long():view(bags, 1), bags, length), bags * length), bags
  end
  if input:dim() ~= 1 then check.raise(('%s: input: %s, expected 1 or 2 dimensions'):format(where, sizesOf(input)), 'shape') end
  if not offsets then check.raise(('%s: offsets: nil, expected a tensor, as the input has 1 dimension'):format(where)) end
  local list, count = check.tensor(where, 'offsets', offsets):long():view(-1):totable(), input:size(1)
  local bags = includeLast and #list - 1 or #list
  local last, result = 1, torch.LongTensor(count)
  for i = 1, #list do
    if list[i] < last or list[i] > count + 1 or i == 1 and list[i] ~= 1 then
      check.raise(('%s: offsets: %d at place %d, expected a position from %d to %d'):format(where, list[i], i, last,
        i == 1 and 1 or count + 1), 'range')
    end
    last = list[i]
  end
  for i = 1, bags do
    local stop = list[i + 1] or count + 1
    if stop > list[i] then result:narrow(1, list[i], stop - list[i]):fill(i) end
  end
  local used = includeLast and list[#list] - 1 or count
  return result:narrow(1, 1, math.max(used, 0)), bags
end

-- The largest element in each bag: rows of the same bag are side by side in a matrix, with -inf in the rest.
local function largest(rows, bag, bags)
  local size, list, longest = rows:size(2), bag:totable(), 0
  local counts = {}
  for _, b in ipairs(list) do
    counts[b] = (counts[b] or 0) + 1
    longest = math.max(longest, counts[b])
  end
  if longest == 0 then return rows.new(bags, size):zero() end
  local places, filled = torch.LongTensor(bags * longest):fill(#list + 1), {}
  for i, b in ipairs(list) do
    filled[b] = (filled[b] or 0) + 1
    places[(b - 1) * longest + filled[b]] = i
  end
  local padded = torch.cat({ rows, rows.new(1, size):fill(-math.huge) }, 1)
  local side = torch.view(torch.index(padded, 1, onDeviceOf(places, rows)), bags, longest, size)
  local y = torch.view((torch.max(side, 2)), bags, size)
  return torch.where(torch.eq(y, -math.huge), 0, y)
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
-- @treturn torch.Tensor (bags, size), 0 for empty bags
functional.embeddingBag = signature('nn.functional.embeddingBag', {
  { 'input', 'tensor' }, { 'weight', 'tensor' }, { 'offsets', 'tensor', optional = true }, maxNorm, normType, scaleGradByFreq,
  { 'mode', 'choice', choices = { 'sum', 'mean', 'max' }, default = 'mean' }, { 'perSampleWeights', 'tensor', optional = true },
  { 'includeLastOffset', 'boolean', default = false }, paddingIdx,
}, function(input, weight, offsets, limit, kind, byFrequency, mode, factors, includeLast, padding)
  local where = 'nn.functional.embeddingBag'
  checkWeight(where, weight)
  if factors and (mode ~= 'sum' or factors:nElement() ~= input:nElement()) then
    check.raise(("%s: perSampleWeights: %s, expected the input's size, and mode 'sum'"):format(where, sizesOf(factors)))
  end
  local bag, bags = bagsOf(where, input, offsets, includeLast)
  local numbers = positions(where, input, weight:size(1))
  if bag:nElement() < numbers:nElement() then numbers = numbers:narrow(1, 1, bag:nElement()) end
  factors = factors and torch.view(factors:contiguous(), -1)
  if padding then
    local counted = torch.nonzero(numbers:ne(padding)):view(-1)
    numbers, bag = numbers:index(1, counted), bag:index(1, counted)
    factors = factors and torch.index(factors, 1, counted)
  end
  bag = onDeviceOf(bag, weight)
  if numbers:nElement() == 0 then return torch.mul(torch.expand(torch.sum(weight, 1), bags, weight:size(2)), 0) end
  local rows = lookup.rows(weight, numbers, { maxNorm = limit, normType = kind, byFrequency = byFrequency })
  if mode == 'max' then return largest(rows, bag, bags) end
  if factors then rows = torch.cmul(rows, torch.expandAs(torch.view(factors, -1, 1), rows)) end
  local y
  if input:dim() == 2 and not padding then
    y = torch.view(torch.sum(torch.view(rows, bags, input:size(2), weight:size(2)), 2), bags, weight:size(2))
  else
    y = torch.indexAdd(weight.new(bags, weight:size(2)):zero(), 1, bag, rows)
  end
  if mode == 'sum' then return y end
  local ones = weight.new(numbers:nElement()):fill(1)
  local counts = weight.new(bags):zero():indexAdd(1, bag, ones):cmax(1)
  return torch.cdiv(y, counts:view(bags, 1):expandAs(y))
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
