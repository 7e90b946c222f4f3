--- An edge of a directed graph.
-- @classmod graph.Edge
local torch, check = require 'torch', require 'torch.check'

local Edge = torch.class('graph.Edge', require 'graph')

--- @tparam graph.Node from start
-- @tparam graph.Node to end
-- @tparam[opt] number weight stored in the field `weight`
function Edge:__init(from, to, weight)
  self.from = check.instance('graph.Edge', 'from', from, 'a node')
  self.to = check.instance('graph.Edge', 'to', to, 'a node')
  self.weight = weight
end

--- The edge's label in pictures: its weight, or nothing.
-- @treturn string
function Edge:label() return self.weight ~= nil and tostring(self.weight) or '' end

return Edge
