--- Pictures of networks with short labels: a node's name, or its module's class.
-- @module nngraph.simple_print
local torch, check = require 'torch', require 'torch.check'
local language, graph = require 'graph.language', require 'graph'

local simple = {}

local function label(node)
  local data = node.data
  local annotations = data.annotations or {}
  if annotations.name or annotations.description then return annotations.name or annotations.description end
  if data.module then return torch.type(data.module) end
  return data.selectindex and 'element ' .. data.selectindex or data.nSplitOutputs and 'split' or 'Node' .. node.id
end

--- The graph in Graphviz's language.
-- @tparam graph.Graph g such as a network's fg
-- @tparam[opt] string title
-- @treturn string
function simple.todot(g, title)
  if type(g) ~= 'table' or not g.nodes then
    check.raise(('nngraph.simple_print: g: %s, expected a graph.Graph'):format(torch.type(g)))
  end
  return language(g, title, label)
end

--- Like graph.dot.
-- @tparam graph.Graph g
-- @tparam[opt] string title
-- @tparam[opt] string filename
function simple.dot(g, title, filename)
  graph.dot({ todot = function(_, text) return simple.todot(g, text) end }, title, filename)
end

return setmetatable(simple, { __call = function(_, ...) return simple.dot(...) end })
