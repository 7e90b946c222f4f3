--- Derivatives of sorting and order statistics: each result's gradient goes to the position that it came from.
local torch = require 'torch'
local rules = require 'autograd.rules'

local function toPositions(g, y, xSize, dim)
  return torch.scatterAdd(g[1].new():resize(xSize):zero(), dim, y[2], g[1])
end

rules.sort = { function(g, y, xSize, dim) return toPositions(g, y, xSize, dim) end }
rules.topk = { function(g, y, xSize, _, dim) return toPositions(g, y, xSize, dim) end }
rules.kthvalue = { function(g, y, xSize, _, dim) return toPositions(g, y, xSize, dim) end }
rules.median = { function(g, y, xSize, dim) return toPositions(g, y, xSize, dim) end }
rules.mode = { function(g, y, xSize, dim) return toPositions(g, y, xSize, dim) end }
