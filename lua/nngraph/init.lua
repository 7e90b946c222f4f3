--- Networks as graphs: a call of a module with nodes creates a node, and nn.gModule runs the nodes between inputs and outputs.
-- Loading it also loads nn and graph. A call of a module or criterion with tensors runs it, as without this package.
-- @module nngraph
-- @usage require 'nngraph'
-- local x = nn.Identity()()
-- local h = nn.Tanh()(nn.Linear(3, 4)(x))
-- local net = nn.gModule({ x }, { nn.CAddTable() { h, nn.Linear(3, 4)(x) } })
-- net:forward(torch.ones(2, 3))
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'nn'
require 'graph'

local nngraph = rawget(_G, 'nngraph') or {}
rawset(_G, 'nngraph', nngraph)
package.loaded.nngraph = nngraph

require 'nngraph.Node'
require 'nngraph.gModule'
require 'nngraph.JustElement'
require 'nngraph.JustTable'
require 'nngraph.ModuleFromCriterion'
require 'nngraph.calls'

require 'torch.start.lazy_loader'(nngraph, [[
  nngraph.failures: setDebug
  nngraph.names: annotateNodes
  nngraph.nesting: nest
  nngraph.pictures: display
  simple_print = nngraph.simple_print
]])

return nngraph
