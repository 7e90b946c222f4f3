--- Trees of nodes, in threads or processes: `require 'ipc.Tree'(nodeIndex, numNodes, base, server, client, host, port)`.
-- Node 1, the root, has a server, to which all others have clients. It tells each of them its parent; the nodes that have children open
-- servers for them.
-- @module ipc.Tree
local torch, check = require 'torch', require 'torch.check'
local ipc, nodes = require 'ipc', require 'ipc.nodes'

local function parentOf(index, base) return math.floor((index - 2) / base) + 1 end

local function childrenOf(index, base, count)
  return math.max(0, math.min(base, count - ((index - 1) * base + 1)))
end

-- What a node says about itself must be what the root can send on.
local function checked(introduction, count)
  local index, host, port = introduction.index, introduction.host, introduction.port
  if index and (type(index) ~= 'number' or index % 1 ~= 0 or index < 2 or index > count) or type(host) ~= 'string' or type(port) ~= 'number'
  then
    check.raise 'ipc.Tree: server: one of its clients is no node, expected those of ipc.Tree alone'
  end
  return introduction
end

-- The number of each node: its own, or the smallest that is free.
local function number(introductions, count)
  local taken, free = {}, 2
  for _, node in ipairs(introductions) do
    if node.index then
      check.that(not taken[node.index], ('ipc.Tree: nodeIndex: %d twice, expected each from 1 to %d once'):format(node.index, count))
      taken[node.index] = node
    end
  end
  for _, node in ipairs(introductions) do
    if not node.index then
      while taken[free] do free = free + 1 end
      node.index, taken[free] = free, node
    end
  end
  return taken
end

local function byIndex(a, b) return a.index < b.index end

local function clientsOf(list)
  table.sort(list, byIndex)
  local clients = {}
  for i, node in ipairs(list) do clients[i] = node.client end
  return clients
end

-- Waits for the other nodes, and returns the root's children.
local function gather(server, count, base)
  local introductions, children = {}, {}
  server:clients(count - 1, function(client)
    local said = client:recv()
    local node = checked(type(said) == 'table' and said or {}, count)
    node.client = client:_keep()
    introductions[#introductions + 1] = node
  end)
  local all = number(introductions, count)
  for index, node in pairs(all) do
    local parent = parentOf(index, base)
    node.client:id(index)
    node.client:send { index = index, parent = parent, host = all[parent] and all[parent].host, port = all[parent] and all[parent].port }
    if parent == 1 then children[#children + 1] = node end
  end
  return clientsOf(children)
end

-- A server for the children of a node.
local function listen(client, host, port)
  local options = client:_settings()
  return ipc.server(host, port, options)
end

-- Waits for the children of a node.
local function adopt(server, count)
  local list = {}
  if count > 0 then
    server:clients(count, function(client)
      list[#list + 1] = { index = assert(tonumber(client:recv()), 'ipc.Tree: a child has no number'), client = client:_keep() }
    end)
  end
  return clientsOf(list)
end

local function sum(ends)
  return function()
    local all = { tx = 0, rx = 0 }
    for _, one in ipairs(ends) do
      local stats = one:netStats()
      all.tx, all.rx = all.tx + stats.tx, all.rx + stats.rx
    end
    return all
  end
end

--- Joins a tree of nodes; returns when this node's neighbours have joined.
-- @function ipc.Tree
-- @int[opt] nodeIndex 1 for the root; nil on a client: the root gives it a number
-- @int numNodes
-- @int base the number of children of a node: 2 is a binary tree
-- @tparam ?ipc.Server server on the root
-- @tparam ?ipc.Client client on the others, to the root's server
-- @string[opt='127.0.0.1'] host the address of this node, at which its children find it
-- @int[opt=0] port of this node, 0 for any free one
-- @treturn table `nodeIndex`, `numNodes`, and functions to be called with a dot: `allReduce`, `scatter`, `walkTable`, `netStats`
return function(nodeIndex, numNodes, base, server, client, host, port, buildTree)
  local where = 'ipc.Tree'
  check.int(where, 'numNodes', numNodes, { min = 1 })
  check.int(where, 'base', base, { min = 1 })
  check.that(buildTree == nil, 'ipc.Tree: buildTree: expected nil: trees are those of `base`')
  if server then
    check.that(type(server) == 'table' and server.recvAny,
      ('ipc.Tree: server: %s, expected one of ipc.server'):format(check.describe(server)))
    check.that(nodeIndex == nil or nodeIndex == 1, 'ipc.Tree: nodeIndex: expected 1 with a server')
    return nodes.new(1, numNodes, { children = gather(server, numNodes, base) }, sum { server })
  end
  check.that(client, 'ipc.Tree: server, client: nil, expected a server on node 1, a client on the others')
  check.that(torch.isTypeOf(client, 'ipc.Client'), ('ipc.Tree: client: %s, expected one of ipc.client'):format(check.describe(client)))
  if nodeIndex ~= nil then check.int(where, 'nodeIndex', nodeIndex, { min = 2, max = numNodes }) end
  host = host or '127.0.0.1'
  local own, ownPort = listen(client, host, port)
  client:send { index = nodeIndex or false, host = host, port = ownPort }
  local place = client:recv()
  local parent = client
  if place.parent ~= 1 then
    parent = ipc.client(place.host, place.port, client:_settings())
    parent:send(place.index)
  end
  local children = adopt(own, childrenOf(place.index, base, numNodes))
  return nodes.new(place.index, numNodes, { parent = parent, children = children }, sum { own, parent })
end
