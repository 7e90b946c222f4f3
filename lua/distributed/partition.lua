--- Which rank keeps what of a list of parameters: pieces of their elements, each of one rank, of the same number of elements to rounding.
-- All ranks make the same list of pieces from the sizes alone.
-- @module distributed.partition
local C = require 'libmoontorch'
local torch = require 'torch'
local operation, tensors = require 'distributed.operation', require 'distributed.tensors'

local partition = {}

-- Pieces begin at multiples of this number of elements, so that loops of kernels treat each element as in the whole tensor.
local grain = 64

-- Cuts the parameters, one after the other, into parts of equal size for the ranks: of each a rank has one piece or none. Those that
-- `isWhole` says go to one rank.
local function cut(parameters, count, isWhole)
  local total, pieces, before = 0, {}, 0
  for _, x in ipairs(parameters) do total = total + x:nElement() end
  for i, x in ipairs(parameters) do
    local size, first = x:nElement(), 0
    if isWhole(x) then
      local rank = math.min(count - 1, math.floor((before + size / 2) * count / math.max(total, 1)))
      pieces[#pieces + 1] = { parameter = i, first = 0, count = size, rank = rank, isWhole = true }
      first = size
    end
    for rank = 0, count - 1 do
      local ideal = total * (rank + 1) / count - before
      local last = rank == count - 1 and size or math.min(size, math.floor(ideal / grain + 0.5) * grain)
      if last > first then
        pieces[#pieces + 1] = { parameter = i, first = first, count = last - first, rank = rank, isWhole = first == 0 and last == size }
        first = last
      end
    end
    before = before + size
  end
  return pieces
end

-- Gives whole parameters, the largest first, to the rank with the fewest elements.
local function deal(parameters, count)
  local order, loads, pieces = {}, {}, {}
  for i = 1, #parameters do order[i] = i end
  table.sort(order, function(a, b)
    local m, n = parameters[a]:nElement(), parameters[b]:nElement()
    return m > n or m == n and a < b
  end)
  for rank = 0, count - 1 do loads[rank] = 0 end
  for _, i in ipairs(order) do
    local least = 0
    for rank = 1, count - 1 do least = loads[rank] < loads[least] and rank or least end
    pieces[i] = { parameter = i, first = 0, count = parameters[i]:nElement(), rank = least, isWhole = true }
    loads[least] = loads[least] + pieces[i].count
  end
  return pieces
end

--- Makes the pieces.
-- @tparam {torch.Tensor,...} parameters
-- @int count number of ranks
-- @tparam ?function isWhole (parameter) -> whether one rank must have all of it; all parameters by default
-- @treturn {table,...} `parameter`, its number; `first`, the elements before the piece; `count`; `rank`, from 0; `isWhole`
function partition.make(parameters, count, isWhole)
  if isWhole then return cut(parameters, count, isWhole) end
  return deal(parameters, count)
end

--- Returns the elements of a piece, which share memory with the tensor.
-- @tparam torch.Tensor x contiguous
-- @tparam table piece
-- @treturn torch.Tensor a vector
function partition.view(x, piece) return C.detach(x):view(-1):narrow(1, piece.first + 1, piece.count) end

-- Calls f(elements, place) for the parts of a rank's pieces that are in a range of its elements.
local function eachIn(views, first, count, f)
  local before = 0
  for _, view in ipairs(views) do
    local from, to = math.max(first, before), math.min(first + count, before + view:nElement())
    if from < to then f(view:narrow(1, from - before + 1, to - from), from - first + 1) end
    before = before + view:nElement()
  end
end

-- Returns the call that collects vectors of `count` elements, and its memory, which all steps use.
local function rooms(like, count, group)
  local room, received = like.new(count):zero(), like.new(count * group:size()):zero()
  local output, written = operation.writing(received)
  return {
    room = room, received = received, what = {
      kind = 'allGather', key = ('allGather of parameters, %s'):format(operation.describe(room)), like = room, count = count,
      input = operation.reading(room), output = output, after = written },
  }
end

-- Sends the vectors of one type, by rank from 0, to all ranks: rounds of up to `bytes` from each.
local function exchange(views, group, bytes, kept)
  local longest, place, like = 0, group:rank(), nil
  for rank = 0, group:size() - 1 do
    local size = 0
    for _, view in ipairs(views[rank]) do
      size, like = size + view:nElement(), like or view
    end
    longest = math.max(longest, size)
  end
  if longest == 0 then return end
  local width = math.min(longest, math.max(1, math.floor(bytes / like:elementSize())))
  local key = ('%s %s %d'):format(like:type(), like:device(), width)
  local made = kept[key] or rooms(like, width, group)
  kept[key] = made
  for first = 0, longest - 1, width do
    eachIn(views[place], first, width, function(x, at) made.room:narrow(1, at, x:nElement()):copy(x) end)
    operation.run('allGather', group, made.what, {})
    for rank = 0, group:size() - 1 do
      local theirs = made.received:narrow(1, rank * width + 1, width)
      eachIn(rank ~= place and views[rank] or {}, first, width, function(x, at) x:copy(theirs:narrow(1, at, x:nElement())) end)
    end
  end
end

--- Sends each piece from the rank that has it to all others.
-- @tparam {torch.Tensor,...} parameters
-- @tparam {table,...} pieces
-- @tparam Group group
-- @int bytes most bytes of a message
-- @tparam table kept the memory of messages, for the next call
function partition.share(parameters, pieces, group, bytes, kept)
  local byType, order = {}, {}
  for _, piece in ipairs(pieces) do
    local x = parameters[piece.parameter]
    if not x:isContiguous() then
      tensors.broadcast(C.detach(x), group.ranks[piece.rank + 1], { group = group })
    elseif piece.count > 0 then
      local kind = x:type()
      if not byType[kind] then
        byType[kind], order[#order + 1] = {}, kind
        for rank = 0, group:size() - 1 do byType[kind][rank] = {} end
      end
      table.insert(byType[kind][piece.rank], partition.view(x, piece))
    end
  end
  for _, kind in ipairs(order) do torch.noGrad(exchange, byType[kind], group, bytes, kept) end
end

return partition
