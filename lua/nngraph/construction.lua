--- Builds the graphs of a network from copies of a program's nodes, between an input node and an output node.
-- @module nngraph.construction
local torch, check = require 'torch', require 'torch.check'
local graph, traversal, nngraph = require 'graph', require 'graph.traversal', require 'nngraph'

local Node = nngraph.Node

local function checkNodes(name, nodes)
  if type(nodes) ~= 'table' or torch.typename(nodes) then
    check.raise(('nn.gModule: %s: %s, expected a table of nodes'):format(name, torch.type(nodes)))
  end
  for i, node in ipairs(nodes) do
    if not torch.isTypeOf(node, 'graph.Node') then
      check.raise(('nn.gModule: %s: number %d is %s, expected an nngraph.Node'):format(name, i, torch.type(node)))
    end
  end
  return nodes
end

-- Copies of all nodes that lead to the outputs, with edges from a node to its input nodes.
local function mirror(outputs)
  local twins = {}
  local order = traversal.after(outputs)
  for _, node in ipairs(order) do twins[node] = node:twin() end
  for _, node in ipairs(order) do
    for _, child in ipairs(node.children) do graph.Node.add(twins[node], twins[child]) end
  end
  return twins
end

-- The node of the network's input, and for each of its inputs the node that feeds it.
local function sourceOf(count)
  local innode = Node { annotations = { _debugLabel = 'innode', description = 'input' } }
  if count == 1 then return innode, { innode } end
  return innode, { innode:split(count) }
end

local function unused(node)
  check.raise(('node declared on %s does not connect to gmodule output'):format(node.data.annotations._debugLabel))
end

-- The number of readers of a node inside the network, and the first declared reader outside of it.
local function readersOf(node, known)
  local count, outside = 0, nil
  for reader in pairs(node.data.reverseMap) do
    if known[reader.data] then
      count = count + 1
    elseif not outside or reader.id < outside.id then
      outside = reader
    end
  end
  return count, outside
end

-- Checks that every node between inputs and outputs leads to an output, and that every part of a split is used.
local function checkUse(nodes, known)
  for _, node in ipairs(nodes) do
    local data = node.data
    local used, outside = readersOf(node, known)
    if outside and not data.nSplitOutputs then unused(outside) end
    if data.nSplitOutputs and used < data.nSplitOutputs then
      check.raise(('%d of split(%d) outputs from the node declared at %s are unused'):format(data.nSplitOutputs - used, data.nSplitOutputs,
        data.annotations._debugLabel))
    end
  end
end

-- Connects the inputs to a new input node of the network; returns this node.
local function feed(inputs, twins)
  local innode, feeds = sourceOf(#inputs)
  local own = mirror(feeds)
  for i, node in ipairs(inputs) do
    if #node.children ~= 0 then check.raise 'an input should have no inputs' end
    if not twins[node] then unused(node) end
    check.that(#twins[node].children == 0, "Don't pass the same input twice.")
    graph.Node.add(twins[node], own[feeds[i]])
    node.data.mapindex = { feeds[i].data, [feeds[i].data] = 1 }
  end
  return own[innode]
end

--- Builds the graph between inputs and outputs, and sets a network's fields `fg`, `bg`, `innode`, `outnode`.
-- @tparam nn.gModule net
-- @tparam {nngraph.Node,...} inputs
-- @tparam {nngraph.Node,...} outputs
return function(net, inputs, outputs)
  checkNodes('inputs', inputs)
  checkNodes('outputs', outputs)
  check.that(#inputs > 0, 'no inputs are not supported')
  check.that(#outputs > 0, 'nn.gModule: outputs: an empty table, expected nodes')
  local twins, outnode, known = mirror(outputs), Node { annotations = { _debugLabel = 'outnode', description = 'output' } }, {}
  net.innode, net.outnode = feed(inputs, twins), outnode
  for i, node in ipairs(outputs) do                                    -- a node may occur twice
    outnode.children[i], outnode.children[twins[node]] = twins[node], i
    outnode.data.mapindex[i], outnode.data.mapindex[node.data] = node.data, i
  end
  net.bg = outnode:graph()
  net.fg = net.bg:reverse()
  check.that(#net.fg:roots() == 1, 'expecting only one start')
  for _, node in ipairs(net.fg.nodes) do known[node.data] = true end
  checkUse(net.fg.nodes, known)
end
