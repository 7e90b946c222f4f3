-- Ways to add the vectors of all ranks, on a network of scale/network.lua. Each returns the seconds until the last rank has the sum.
local ways = {}

local header, short = 256, 16384      -- bytes, as of the package distributed
local shortestPiece, longestPiece = 16384, 61440

local function clocks(net, value)
  local list = {}
  for rank = 0, net.ranks - 1 do list[rank] = value or 0 end
  return list
end

local function last(times)
  local most = 0
  for _, time in pairs(times) do most = math.max(most, time) end
  return most
end

-- Each rank sends as many bytes to each other one, at each distance at a time.
local function toAll(net, times, bytes)
  local arrived = {}
  for rank = 0, net.ranks - 1 do arrived[rank] = times[rank] end
  for distance = 1, net.ranks - 1 do
    for rank = 0, net.ranks - 1 do
      local to = (rank + distance) % net.ranks
      arrived[to] = math.max(arrived[to], net:send(rank, to, bytes, times[rank]))
    end
  end
  return arrived
end

local function compute(net, times, bytes)
  for rank = 0, net.ranks - 1 do times[rank] = times[rank] + bytes / net.sum end
end

-- What the package distributed does on one machine: headers to all, then parts to all, sums, and these to all; short vectors in one step.
function ways.direct(net, bytes)
  local n = net.ranks
  local times = toAll(net, clocks(net), header)
  if bytes <= short then
    times = toAll(net, times, bytes)
    compute(net, times, (n - 1) * bytes)
    return last(times)
  end
  times = toAll(net, times, bytes / n)
  compute(net, times, (n - 1) * bytes / n)
  return last(toAll(net, times, bytes / n))
end

-- Parts go round: n - 1 steps add, n - 1 copy.
local function ring(net, times, bytes, members)
  local n = #members
  for step = 1, 2 * (n - 1) do
    local arrived = {}
    for i, rank in ipairs(members) do
      local to = members[i % n + 1]
      arrived[to] = math.max(times[to], net:send(rank, to, bytes / n, times[rank]))
    end
    for _, rank in ipairs(members) do times[rank] = arrived[rank] + (step < n and bytes / n / net.sum or 0) end
  end
end

-- Returns the ranks from one to another.
local function between(from, to)
  local members = {}
  for rank = from, to do members[#members + 1] = rank end
  return members
end

function ways.ring(net, bytes)
  local times = clocks(net)
  ring(net, times, bytes, between(0, net.ranks - 1))
  return last(times)
end

-- Adds whole vectors up a binomial tree of some ranks, or copies them down.
local function up(net, times, bytes, members)
  local distance = 1
  while distance < #members do
    for i = 1, #members - distance, 2 * distance do
      local to, from = members[i], members[i + distance]
      times[to] = math.max(times[to], net:send(from, to, bytes, times[from])) + bytes / net.sum
    end
    distance = 2 * distance
  end
end

local function down(net, times, bytes, members)
  local distance = 1
  while 2 * distance < #members do distance = 2 * distance end
  while distance >= 1 do
    for i = 1, #members - distance, 2 * distance do
      local from, to = members[i], members[i + distance]
      times[to] = net:send(from, to, bytes, times[from])
    end
    distance = distance / 2
  end
end

function ways.tree(net, bytes)
  local members, times = between(0, net.ranks - 1), clocks(net)
  up(net, times, bytes, members)
  down(net, times, bytes, members)
  return last(times)
end

-- A tree within each machine, and a ring of the machines' first ranks.
function ways.hierarchical(net, bytes)
  local times, leaders, groups = clocks(net), {}, {}
  for machine = 0, net.machines - 1 do
    local members = between(machine * net.perMachine, math.min((machine + 1) * net.perMachine, net.ranks) - 1)
    groups[machine + 1], leaders[machine + 1] = members, members[1]
    up(net, times, bytes, members)
  end
  ring(net, times, bytes, leaders)
  for _, members in ipairs(groups) do down(net, times, bytes, members) end
  return last(times)
end

-- Headers of all ranks reach all, at distances 1, 2, 4, ...
local function agreement(net, times)
  local distance = 1
  while distance < net.ranks do
    local arrived = {}
    for rank = 0, net.ranks - 1 do
      local to = (rank + distance) % net.ranks
      arrived[to] = math.max(times[to], net:send(rank, to, header, times[rank]))
    end
    times, distance = arrived, 2 * distance
  end
  return times
end

-- Rank 0 collects all vectors along a binomial tree, adds them, and copies the sum down it.
local function collected(net, times, bytes)
  local members, distance = between(0, net.ranks - 1), 1
  while distance < net.ranks do
    for to = 0, net.ranks - distance - 1, 2 * distance do
      local from = to + distance
      times[to] = math.max(times[to], net:send(from, to, bytes * math.min(distance, net.ranks - from), times[from]))
    end
    distance = 2 * distance
  end
  times[0] = times[0] + (net.ranks - 1) * bytes / net.sum
  down(net, times, bytes, members)
  return last(times)
end

-- Passes pieces up the ranks, where each adds its own, and the sums down. Returns when each piece is back at rank 0.
local function passed(net, times, bytes, count)
  local top, ready, sums, busy, finished = net.ranks - 1, {}, {}, {}, {}
  for rank = 0, top do ready[rank], busy[rank] = times[rank], times[rank] end
  -- In a wave, each rank sends the piece behind that of the wave before: first down, because a wave later the last rank has its next sum.
  for wave = 0, count - 1 + 2 * top do
    for rank = 1, top do
      local piece = wave - top - (top - rank)
      if piece >= 0 and piece < count then
        sums[rank - 1] = net:send(rank, rank - 1, bytes, rank == top and ready[top] or sums[rank])
        if rank == 1 then finished[piece + 1] = sums[0] end
      end
    end
    for rank = top - 1, 0, -1 do
      local piece = wave - rank
      if piece >= 0 and piece < count then
        busy[rank + 1] = math.max(busy[rank + 1], net:send(rank, rank + 1, bytes, ready[rank])) + bytes / net.sum
        ready[rank + 1] = busy[rank + 1]
      end
    end
  end
  return finished
end

-- What the package distributed does among machines: agreement, then short vectors by rank 0, others in pieces along the ranks. When all
-- ranks work, pieces come back at equal distances: the time of many is that of some, and of the rest at the last ones' distance.
function ways.chain(net, bytes)
  local n = net.ranks
  local times = agreement(net, clocks(net))
  if bytes <= short then return collected(net, times, bytes) end
  local pieces = math.ceil(bytes / math.max(shortestPiece, math.min(longestPiece, bytes / (4 * n))))
  local count, span = math.min(pieces, 2 * n + 64), 32
  local finished = passed(net, times, bytes / pieces, count)
  if count == pieces then return finished[count] end
  return finished[count] + (pieces - count) * (finished[count] - finished[count - span]) / span
end

return ways
