--- Which rank keeps what of a list of parameters: pieces of their elements, each of one rank, of the same number of elements to rounding.
-- All ranks make the same list of pieces from the sizes alone.
-- @module distributed.partition
local C = require 'libmoontorch'
local torch = require 'torch'
local tensors = require 'distributed.tensors'

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

-- Sends the vectors of one type, by rank from 0, to all ranks: rounds of up to `bytes` from each.
local function exchange(views, options, place, bytes)
  local longest, sizes, count = 0, {}, #views + 1
  for rank = 0, count - 1 do
    sizes[rank] = 0
    for _, view in ipairs(views[rank]) do sizes[rank] = sizes[rank] + view:nElement() end
    longest = math.max(longest, sizes[rank])
  end
  if longest == 0 then return end
  local like
  for rank = 0, count - 1 do like = like or views[rank][1] end
  local most = math.max(1, math.floor(bytes / like:elementSize()))
  for first = 0, longest - 1, most do
    local width = math.min(most, longest - first)
    local room = like.new():resize(width):zero()
    eachIn(views[place], first, width, function(x, at) room:narrow(1, at, x:nElement()):copy(x) end)
    for i, received in ipairs(tensors.allGather(room, options)) do
      if i - 1 ~= place then
        eachIn(views[i - 1], first, width, function(x, at) x:copy(received:narrow(1, at, x:nElement())) end)
      end
    end
  end
end

--- Sends each piece from the rank that has it to all others.
-- @tparam {torch.Tensor,...} parameters
-- @tparam {table,...} pieces
-- @tparam table options of calls: `group`
-- @int place this rank's
-- @int count number of ranks
-- @int bytes most bytes of a message
function partition.share(parameters, pieces, options, place, count, bytes)
  local byType, order = {}, {}
  for _, piece in ipairs(pieces) do
    local x = parameters[piece.parameter]
    if not x:isContiguous() then
      tensors.broadcast(C.detach(x), options.group and options.group.ranks[piece.rank + 1] or piece.rank, options)
    elseif piece.count > 0 then
      local kind = x:type()
      if not byType[kind] then
        byType[kind], order[#order + 1] = {}, kind
        for rank = 0, count - 1 do byType[kind][rank] = {} end
      end
      table.insert(byType[kind][piece.rank], partition.view(x, piece))
    end
  end
  for _, kind in ipairs(order) do torch.noGrad(exchange, byType[kind], options, place, bytes) end
end

return partition
