-- Ways to add the vectors of all ranks, on a network of scale/network.lua. Each returns the seconds until the last rank has the sum.
local ways = {}

local header, short = 256, 16384      -- bytes, as of the package distributed

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

return ways
