--- A node of a directed graph: data, and the nodes that its edges lead to.
-- Fields: `data`; `children`, a list that also maps each child to its position; `id`, a unique number.
-- @classmod graph.Node
local torch, check = require 'torch', require 'torch.check'
local graph, traversal = require 'graph', require 'graph.traversal'

local Node = torch.class('graph.Node', graph)

local count = 0

local function number(node)
  count = count + 1
  node.id, node.children = count, {}
  return node
end

--- @param data anything; a new table by default
function Node:__init(data)
  self.data = data == nil and {} or data
  number(self)
end

--- A node of the same class with the same data, and no children.
-- @treturn graph.Node
function Node:twin()
  local twin = number(setmetatable({}, getmetatable(self)))
  twin.data = self.data
  return twin
end

local function isNode(value) return type(value) == 'table' and torch.isTypeOf(value, 'graph.Node') end

local function addOne(self, child)
  if not isNode(child) then
    check.raise(('%s.add: child: %s, expected a node or a list of nodes'):format(torch.type(self), torch.type(child)))
  end
  if self.children[child] then return end
  table.insert(self.children, child)
  self.children[child] = #self.children
end

--- Adds an edge to a node, or to each node of a list; existing children are ignored.
-- @tparam graph.Node|{graph.Node,...} child
function Node:add(child)
  if type(child) ~= 'table' or torch.typename(child) then return addOne(self, child) end
  for _, each in ipairs(child) do addOne(self, each) end
end

-- Returns the `enter` function of a traversal that sets the field `visited`, and the list of nodes that it visits.
local function marking(fn)
  local met = {}
  return function(node)
    if node.visited then return false end
    node.visited = true
    met[#met + 1] = node
    if fn then fn(node) end
  end, met
end

--- Traverses depth first all reachable nodes whose field `visited` is not set, and sets it.
-- @tparam[opt] function pre called with each before its children
-- @tparam[opt] function post called with each after its children
function Node:visit(pre, post) traversal.depth(self, marking(pre), post) end

--- Like `dfs`, but sets the field `visited`, and skips nodes in which it is set.
-- @treturn {graph.Node,...} the visited nodes
function Node:dfs_dirty(fn)
  local enter, met = marking()
  traversal.depth(self, enter, check.callable('graph.Node.dfs_dirty', 'fn', fn))
  return met
end

local function unmark(met)
  for _, node in ipairs(met) do node.visited = nil end
end

--- Calls `fn` with each reachable node, depth first: a node after all nodes that it leads to.
-- @tparam function fn of the node
function Node:dfs(fn) unmark(self:dfs_dirty(fn)) end

--- Like `bfs`, but sets the field `visited`.
-- @treturn {graph.Node,...} the visited nodes
function Node:bfs_dirty(fn)
  check.callable('graph.Node.bfs_dirty', 'fn', fn)
  if self.visited then return {} end
  local met, i = { self }, 1
  self.visited = true
  while met[i] do
    for _, child in ipairs(met[i].children) do
      if not child.visited then
        child.visited = true
        met[#met + 1] = child
      end
    end
    fn(met[i])
    i = i + 1
  end
  return met
end

--- Calls `fn` with each reachable node, breadth first: nearer nodes first.
-- @tparam function fn of the node
function Node:bfs(fn) unmark(self:bfs_dirty(fn)) end

--- Whether a reachable node leads back to itself.
function Node:hasCycle()
  local _, isCyclic = traversal.after { self }
  return isCyclic
end

--- The graph of all reachable edges.
-- @treturn graph.Graph
function Node:graph()
  local reached, met = graph.Graph(), {}
  reached:addNode(self)
  traversal.depth(self, function(node)
    if met[node] then return false end
    met[node] = true
    for _, child in ipairs(node.children) do reached:add(graph.Edge(node, child)) end
  end)
  return reached
end

--- The node's label in pictures: its data as text.
-- @treturn string
function Node:label() return tostring(self.data) end

return Node
