-- Derivatives of sorting and order statistics: each result's gradient goes to the position that it came from.
local torch = require 'torch'
local rules = require 'autograd.rules'

-- Positions are all that is kept of the results: programs may write to the values.
local function toPositions(g, rest, xSize, dim)
  return torch.scatterAdd(g[1].new():resize(xSize):zero(), dim, rest[1], g[1])
end

rules.sort = { function(g, rest, xSize, dim) return toPositions(g, rest, xSize, dim) end }
rules.topk = { function(g, rest, xSize, _, dim) return toPositions(g, rest, xSize, dim) end }
rules.kthvalue = { function(g, rest, xSize, _, dim) return toPositions(g, rest, xSize, dim) end }
rules.median = { function(g, rest, xSize, dim) return toPositions(g, rest, xSize, dim) end }
rules.mode = { function(g, rest, xSize, dim) return toPositions(g, rest, xSize, dim) end }
