--- Arrays whose rows move between ranks: gathered, chosen, spread anew, transposed, sorted.
-- @module distributed.array
local torch = require 'torch'
local check = require 'torch.check'
local meta, objects, tensors = require 'distributed.array', require 'distributed.objects', require 'distributed.tensors'

local Array, wrap, refuse = meta._class, meta._wrap, meta._refuse
local unpack = unpack

local function options(self) return { group = self._group } end

-- Sends a tensor to each rank of the group; returns those from each. Tensors differ in their numbers of rows alone.
function meta._exchanged(self, list)
  local ranks, rows = self._group, torch.LongTensor(#list)
  local place = ranks:rank() + 1
  for i, x in ipairs(list) do rows[i] = x:size(1) end
  local counts, received, handles = tensors.allGather(rows, options(self)), {}, {}
  for i, x in ipairs(list) do
    if i ~= place and x:nElement() > 0 then
      handles[#handles + 1] = tensors.send(x, ranks.ranks[i], { group = ranks, async = true, tag = 2 ^ 26 })
    end
  end
  for i = 1, #list do
    local sizes = list[1]:size()
    sizes[1] = counts[i][place]
    received[i] = i == place and list[i] or list[1].new():resize(sizes)
    if i ~= place and received[i]:nElement() > 0 then tensors.receive(received[i], ranks.ranks[i], { group = ranks, tag = 2 ^ 26 }) end
  end
  for _, handle in ipairs(handles) do handle:wait() end
  return received
end

--- Returns the whole as a tensor on one rank.
-- @int[opt=0] target a rank
-- @treturn ?torch.Tensor on the target
function Array:gather(target)
  local first = self._group.ranks[1]
  local list = objects.gatherObject(self._shard, target or first, options(self))
  return list and torch.cat(list, 1)
end

--- Returns the whole as a tensor on all ranks.
-- @treturn torch.Tensor
function Array:allGather() return torch.cat(objects.allGatherObject(self._shard, options(self)), 1) end

--- Returns some rows as a tensor on all ranks.
-- @tparam torch.LongTensor positions of rows, from 1; the same on all ranks
-- @treturn torch.Tensor
function Array:index(positions)
  positions = check.tensor('torch.distributed.array: index', 'positions', positions):long():contiguous():view(-1)
  local count = positions:nElement()
  if count > 0 and (positions:min() < 1 or positions:max() > self._rows) then
    refuse('index', ('positions: %d to %d, expected rows from 1 to %d'):format(positions:min(), positions:max(), self._rows))
  end
  local own = torch.add(positions, -self._before)
  local isMine = torch.cmul(torch.ge(own, 1), torch.le(own, self._shard:size(1)))
  local places = torch.nonzero(isMine):view(-1)
  local rows = self._shard:index(1, own:index(1, places))
  local sizes = self._shard:size()
  sizes[1] = count
  local result = self._shard.new():resize(sizes)
  for _, each in ipairs(objects.allGatherObject({ places, rows }, options(self))) do
    if each[1]:nElement() > 0 then result:indexCopy(1, each[1], each[2]) end
  end
  return result
end

--- Returns an array of the same rows in other shards.
-- @tparam[opt] {int,...} counts the number of rows of each rank; by default they differ by at most 1
-- @treturn Array
function Array:redistribute(counts)
  local ranks = self._group
  counts = counts and { unpack(check.table('torch.distributed.array: redistribute', 'counts', counts)) }
    or meta._even(self._rows, ranks:size())
  local total = 0
  for i, count in ipairs(counts) do
    total = total + check.int('torch.distributed.array: redistribute', ('counts: [%d]'):format(i), count, { min = 0 })
  end
  if #counts ~= ranks:size() or total ~= self._rows then
    refuse('redistribute', ('counts: %d numbers with the sum %d, expected %d with the sum %d'):format(#counts, total, ranks:size(),
      self._rows))
  end
  if meta._sameCounts(self._counts, counts) then return self end
  local list, first, own = {}, 0, self._shard:size(1)
  for i, count in ipairs(counts) do
    local last = first + count
    local from, to = math.max(first - self._before, 0), math.min(last - self._before, own)
    list[i] = self._shard:narrow(1, math.min(from, own) + 1, math.max(to - math.min(from, own), 0)):contiguous()
    first = last
  end
  return wrap(torch.cat(meta._exchanged(self, list), 1), counts, ranks)
end

--- Returns the transposed matrix.
-- @treturn Array of two dimensions
function Array:t()
  if self:dim() ~= 2 then refuse('t', ('an array of %d dimensions, expected 2'):format(self:dim())) end
  local own, counts, list, first = self._shard:size(1), meta._even(self._shard:size(2), self._group:size()), {}, 0
  for i, count in ipairs(counts) do
    list[i] = self._shard:narrow(2, first + 1, count):clone():resize(own * count)
    first = first + count
  end
  local width, parts = counts[self._group:rank() + 1], {}
  for i, part in ipairs(meta._exchanged(self, list)) do parts[i] = part:resize(self._counts[i], width):t() end
  return wrap(torch.cat(parts, 2):contiguous(), counts, self._group)
end

-- The number of elements of a sorted vector before (value, position); NaN is larger than all numbers.
local function countBefore(values, positions, numbers, value, position)
  local from, to
  if value ~= value then
    from, to = numbers, values:size(1)
  else
    local sorted, wanted = values:narrow(1, 1, numbers), values.new { value }
    if numbers == 0 then return 0 end
    from = torch.searchsorted(sorted, wanted)[1] - 1
    to = torch.searchsorted(sorted, wanted, { right = true })[1] - 1
  end
  if to == from then return from end
  return from + torch.searchsorted(positions:narrow(1, from + 1, to - from), torch.LongTensor { position })[1] - 1
end

local function sortedOf(values, positions)
  if values:size(1) == 0 then return values, positions end
  local sorted, order = torch.sort(values, 1)
  return sorted, positions:index(1, order)
end

--- Sorts a vector by sampling: each rank sorts its elements and sends those between the ranks' splitters to their rank, which sorts them
-- again. Equal elements stay in order, NaN is last: the result is that of one process.
-- Source: Shi and Schaeffer (1992), "Parallel sorting by regular sampling", J. Parallel Distrib. Comput. 14.
-- @treturn Array the sorted elements, in shards of the old numbers of elements
-- @treturn Array of Long: their positions in the unsorted array
function Array:sort()
  if self:dim() ~= 1 then refuse('sort', ('an array of %d dimensions, expected a vector'):format(self:dim())) end
  local ranks, own = self._group, self._shard:size(1)
  local n = ranks:size()
  local places = torch.range(self._before + 1, self._before + math.max(own, 1)):long():narrow(1, 1, own)
  local values, positions = sortedOf(self._shard, places)
  local numbers = own
  if values:isFloatingPoint() and own > 0 then numbers = own - torch.ne(values, values):sum() end
  local samples = {}
  for i = 1, own > 0 and n or 0 do
    local at = math.max(math.ceil(own * (i - 0.5) / n), 1)
    samples[i] = { values[at], positions[at] }
  end
  local all = {}
  for _, list in ipairs(objects.allGatherObject(samples, options(self))) do
    for _, sample in ipairs(list) do all[#all + 1] = sample end
  end
  table.sort(all, function(a, b)
    local x, y = a[1], b[1]
    if x == y or x ~= x and y ~= y then return a[2] < b[2] end
    return x ~= x and false or y ~= y or x < y
  end)
  local cuts = { [0] = 0 }
  for i = 1, n - 1 do
    local splitter = all[math.max(math.ceil(#all * i / n), 1)]
    cuts[i] = splitter and countBefore(values, positions, numbers, splitter[1], splitter[2]) or 0
  end
  cuts[n] = own
  local valueParts, positionParts = {}, {}
  for i = 1, n do
    valueParts[i] = values:narrow(1, cuts[i - 1] + 1, cuts[i] - cuts[i - 1])
    positionParts[i] = positions:narrow(1, cuts[i - 1] + 1, cuts[i] - cuts[i - 1])
  end
  -- Parts come in the order of the ranks, so a stable sort keeps equal elements in the order of their positions.
  local merged, order = sortedOf(torch.cat(meta._exchanged(self, valueParts), 1), torch.cat(meta._exchanged(self, positionParts), 1))
  local counts = objects.allGatherObject(merged:size(1), options(self))
  return wrap(merged, counts, ranks):redistribute(self._counts), wrap(order, counts, ranks):redistribute(self._counts)
end

return Array
