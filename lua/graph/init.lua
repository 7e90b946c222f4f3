--- Directed graphs of nodes with data, and their pictures by Graphviz.
-- @module graph
-- @usage local graph = require 'graph'
-- local wake, wash, eat = graph.Node 'wake', graph.Node 'wash', graph.Node 'eat'
-- wake:add { wash, eat }
-- wash:add(eat)
-- for _, node in ipairs(wake:graph():topsort()) do print(node:label()) end    --> wake, wash, eat
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local graph = rawget(_G, 'graph') or {}
rawset(_G, 'graph', graph)
package.loaded.graph = graph

require 'torch'
require 'graph.Edge'
require 'graph.Node'
require 'graph.Graph'

require 'torch.start.lazy_loader'(graph, [[
  graph.picture: dot
  graph.layout: graphvizFile graphvizLayout
]])

return graph
