--- What all trees of nodes compute: values are reduced on their way up to the root, and go down to all nodes.
-- Each node does v = reduce(v, its child's v) for its children by ascending number. The root's bits then go to every node.
-- @module ipc.nodes
local torch, check = require 'torch', require 'torch.check'
local walkTable = require('ipc.utils').walkTable

local nodes = {}

local function checkLeaf(where, leaf)
  if not torch.isTensor(leaf) and type(leaf) ~= 'number' then
    check.raise(('%s: value: %s, expected a tensor, a number, or a table of them'):format(where, torch.type(leaf)))
  end
end

local function leavesOf(where, value)
  local count = 0
  walkTable(value, function(leaf)
    checkLeaf(where, leaf)
    count = count + 1
  end)
  return count
end

-- Receives a leaf from a neighbour, into memory like the leaf's.
local function received(from, leaf, into)
  if torch.isTensor(leaf) then return from:recv(into or leaf:clone()) end
  local number = from:recv()
  if type(number) ~= 'number' then error(('ipc: a %s came, expected a number'):format(torch.type(number)), 0) end
  return number
end

-- The head of a round from a neighbour: which function it runs, its numbers of leaves and of nodes.
local function headOf(where, from, count)
  local head = from:recv()
  if type(head) ~= 'table' or head.call ~= where then
    local its = type(head) == 'table' and tostring(head.call) or 'something else'
    error(('ipc: %s: another node runs %s'):format(where, its), 0)
  end
  if head.leaves ~= count then
    error(('ipc: %s: another node has %s leaves, this one %d'):format(where, tostring(head.leaves), count), 0)
  end
  if type(head.n) ~= 'number' then error(('ipc: %s: a head without a number of nodes'):format(where), 0) end
  return head.n
end

-- The root's leaves go down to all nodes.
local function goDown(links, value)
  return walkTable(value, function(leaf)
    if links.parent then leaf = received(links.parent, leaf, torch.isTensor(leaf) and leaf) end
    for _, child in ipairs(links.children) do child:send(leaf) end
    return leaf
  end)
end

local function round(where, links, value, reduce, n)
  local count = leavesOf(where, value)
  for _, child in ipairs(links.children) do n = n + headOf(where, child, count) end
  if links.parent then links.parent:send { call = where, leaves = count, n = n } end
  value = walkTable(value, function(leaf)
    for _, child in ipairs(links.children) do leaf = reduce(leaf, received(child, leaf)) end
    if links.parent then links.parent:send(leaf) end
    return leaf
  end)
  if links.parent then n = headOf(where, links.parent, count) end
  for _, child in ipairs(links.children) do child:send { call = where, leaves = count, n = n } end
  return goDown(links, value), n
end

--- Creates the functions of a node.
-- @int index the node's number, 1 for the root
-- @int count number of nodes
-- @tparam table links `parent`, a client, and `children`, a list of clients by ascending number
-- @tparam function stats returns the bytes sent and received
-- @treturn table functions to be called with a dot
function nodes.new(index, count, links, stats)
  local tree, last = { nodeIndex = index, numNodes = count, walkTable = walkTable }, nil

  function tree.allReduce(value, reduce, zero)
    check.callable('ipc: allReduce', 'reduce', reduce)
    if zero ~= nil then check.callable('ipc: allReduce', 'zero', zero) end
    if value == nil then value = last end
    if value == nil then check.raise 'ipc: allReduce: value: nil, expected a tensor, a number or a table of them in the first call' end
    last = value
    while true do
      if zero then
        local i = 0
        value = walkTable(value, function(leaf)
          i = i + 1
          return zero(leaf, i)
        end)
      end
      local n
      value, n = round('allReduce', links, value, reduce, zero and 0 or 1)
      last = value
      if not zero or n == 0 then return value, n end
    end
  end

  function tree.scatter(value)
    local number = leavesOf('scatter', value)
    if links.parent then headOf('scatter', links.parent, number) end
    for _, child in ipairs(links.children) do child:send { call = 'scatter', leaves = number, n = 0 } end
    return goDown(links, value)
  end

  function tree.netStats()
    local all = stats()
    print(('node %d of %d: %.0f bytes sent, %.0f received'):format(index, count, all.tx, all.rx))
  end

  return tree
end

--- The tree of one node.
function nodes.single()
  local tree = nodes.new(1, 1, { children = {} }, function() return { tx = 0, rx = 0 } end)
  function tree.allReduce(value, reduce, zero)
    check.callable('ipc: allReduce', 'reduce', reduce)
    if zero ~= nil then check.callable('ipc: allReduce', 'zero', zero) end
    return value, 1
  end
  function tree.scatter(value) return value end
  return tree
end

return nodes
