--- A directed graph: lists of edges and nodes.
-- Fields: `nodes` and `edges`, lists that have the place of each node and edge under itself, too.
-- @classmod graph.Graph
local torch, check = require 'torch', require 'torch.check'
local graph, walk = require 'graph', require 'graph.walk'

local Graph = torch.class('graph.Graph', graph)

--- Starts without nodes.
function Graph:__init()
  self.edges, self.nodes = {}, {}
end

local function include(list, value)
  if list[value] then return end
  list[#list + 1] = value
  list[value] = #list
end

--- Puts in a node, which may have no edges.
-- @tparam graph.Node node
function Graph:addNode(node) include(self.nodes, check.instance('graph.Graph.addNode', 'node', node, 'a node')) end

local function addOne(self, edge)
  if not torch.isTypeOf(edge, 'graph.Edge') then
    check.raise(('graph.Graph.add: edge: %s, expected a graph.Edge or a list of them'):format(torch.type(edge)))
  end
  include(self.edges, edge)
  self:addNode(edge.from)
  self:addNode(edge.to)
  graph.Node.add(edge.from, edge.to)                   -- a class's own method may do more, for edges that a program makes
end

--- Puts in an edge, or each of a list, with its nodes; the end becomes a child of the beginning.
-- @tparam graph.Edge|{graph.Edge,...} edge
function Graph:add(edge)
  if type(edge) ~= 'table' or torch.typename(edge) then return addOne(self, edge) end
  for _, each in ipairs(edge) do addOne(self, each) end
end

-- A graph of new nodes with the same data; edges as `made` makes them of both ends. Returns old node -> new, too.
local function rebuilt(self, made)
  local copy, map = graph.Graph(), {}
  for _, node in ipairs(self.nodes) do
    map[node] = node:twin()
    copy:addNode(map[node])
  end
  for _, edge in ipairs(self.edges) do copy:add(made(map[edge.from], map[edge.to], edge.weight)) end
  return copy, map
end

--- A copy, of new nodes that have the same data.
-- @treturn graph.Graph
-- @treturn table new nodes by the old ones
function Graph:clone()
  return rebuilt(self, function(from, to, weight) return graph.Edge(from, to, weight) end)
end

--- A copy whose edges go the other way.
-- @treturn graph.Graph
-- @treturn table new nodes by the old ones
function Graph:reverse()
  return rebuilt(self, function(from, to, weight) return graph.Edge(to, from, weight) end)
end

--- Whether a node leads back to itself.
function Graph:hasCycle()
  local _, isCyclic = walk.after(self.nodes)
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

--- The nodes in an order in which each comes before all that it leads to.
-- @treturn {graph.Node,...}
-- @treturn graph.Graph the reversed graph, by which they were found
-- @treturn {graph.Node,...} its roots
-- @raise 'Graph has cycles'
function Graph:topsort()
  local reversed, map = self:reverse()
  local original, roots = {}, reversed:roots()
  for node, twin in pairs(map) do original[twin] = node end
  local order, isCyclic = walk.after(roots)
  if isCyclic or #order < #self.nodes then check.raise 'Graph has cycles' end
  for i, twin in ipairs(order) do order[i] = original[twin] end
  return order, reversed, roots
end

--- The graph in Graphviz's language. A node may say what it is called there by the method `graphNodeName`, and how it is drawn by
-- `graphNodeAttributes`, a table such as `{ color = 'red' }`.
-- @tparam[opt] string title
-- @treturn string
function Graph:todot(title) return require 'graph.language'(self, title) end

return Graph
