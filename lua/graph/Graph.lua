--- A directed graph: lists of edges and nodes.
-- Fields: `nodes` and `edges`, lists that also map each node and edge to its position.
-- @classmod graph.Graph
local torch, check = require 'torch', require 'torch.check'
local graph, traversal = require 'graph', require 'graph.traversal'

local Graph = torch.class('graph.Graph', graph)

--- Creates a graph without nodes.
function Graph:__init()
  self.edges, self.nodes = {}, {}
end

local function include(list, value)
  if list[value] then return end
  list[#list + 1] = value
  list[value] = #list
end

--- Adds a node, which may have no edges.
-- @tparam graph.Node node
function Graph:addNode(node) include(self.nodes, check.instance('graph.Graph.addNode', 'node', node, 'a node')) end

local function addOne(self, edge)
  if not torch.isTypeOf(edge, 'graph.Edge') then
    check.raise(('graph.Graph.add: edge: %s, expected a graph.Edge or a list of them'):format(torch.type(edge)))
  end
  include(self.edges, edge)
  self:addNode(edge.from)
  self:addNode(edge.to)
  graph.Node.add(edge.from, edge.to)                   -- not edge.from:add, which a class may override for a program's edges
end

--- Adds an edge, or each edge of a list, with its nodes; its end becomes a child of its start.
-- @tparam graph.Edge|{graph.Edge,...} edge
function Graph:add(edge)
  if type(edge) ~= 'table' or torch.typename(edge) then return addOne(self, edge) end
  for _, each in ipairs(edge) do addOne(self, each) end
end

-- Returns a graph of new nodes with the same data, and a table old node -> new. `made` creates an edge from two ends.
local function rebuilt(self, made)
  local copy, map = graph.Graph(), {}
  for _, node in ipairs(self.nodes) do
    map[node] = node:twin()
    copy:addNode(map[node])
  end
  for _, edge in ipairs(self.edges) do copy:add(made(map[edge.from], map[edge.to], edge.weight)) end
  return copy, map
end

--- A copy with new nodes that have the same data.
-- @treturn graph.Graph
-- @treturn table new nodes by the old ones
function Graph:clone()
  return rebuilt(self, function(from, to, weight) return graph.Edge(from, to, weight) end)
end

--- A copy with reversed edges.
-- @treturn graph.Graph
-- @treturn table new nodes by the old ones
function Graph:reverse()
  return rebuilt(self, function(from, to, weight) return graph.Edge(to, from, weight) end)
end

--- Whether a node leads back to itself.
function Graph:hasCycle()
  local _, isCyclic = traversal.after(self.nodes)
  return isCyclic
end

--- The nodes that no edge leads to.
-- @treturn {graph.Node,...}
function Graph:roots()
  local isChild, roots = {}, {}
  for _, edge in ipairs(self.edges) do isChild[edge.to] = true end
  for _, node in ipairs(self.nodes) do
    if not isChild[node] then roots[#roots + 1] = node end
  end
  return roots
end

--- The nodes without children.
-- @treturn {graph.Node,...}
function Graph:leaves()
  local leaves = {}
  for _, node in ipairs(self.nodes) do
    if #node.children == 0 then leaves[#leaves + 1] = node end
  end
  return leaves
end

--- The nodes in topological order: each before all nodes that it leads to.
-- @treturn {graph.Node,...}
-- @treturn graph.Graph the reversed graph, from which the order was computed
-- @treturn {graph.Node,...} its roots
-- @raise 'Graph has cycles'
function Graph:topsort()
  local reversed, map = self:reverse()
  local original, roots = {}, reversed:roots()
  for node, twin in pairs(map) do original[twin] = node end
  local order, isCyclic = traversal.after(roots)
  if isCyclic or #order < #self.nodes then check.raise 'Graph has cycles' end
  for i, twin in ipairs(order) do order[i] = original[twin] end
  return order, reversed, roots
end

--- The graph in Graphviz's language. A node's methods `graphNodeName` and `graphNodeAttributes` define its name and its attributes, a table
-- such as `{ color = 'red' }`.
-- @tparam[opt] string title
-- @treturn string
function Graph:todot(title) return require 'graph.language'(self, title) end

return Graph
