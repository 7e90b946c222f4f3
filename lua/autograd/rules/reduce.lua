--- Derivatives of reductions. Along a dimension the result keeps it, with size 1; over everything it has size {1}.
local torch = require 'torch'
local rules = require 'autograd.rules'

-- Repeats g, the gradient of a reduction, over what was reduced.
local function spread(g, size)
  if g:dim() ~= #size then
    local ones = {}
    for i = 1, #size do ones[i] = 1 end
    g = torch.reshape(g, torch.LongStorage(ones))
  end
  return torch.expand(g, size)
end

local function count(size)
  local n = 1
  for i = 1, #size do n = n * size[i] end
  return n
end

rules.sum = { function(g, _, xSize) return spread(g, xSize) end }
rules.mean = { function(g, _, xSize) return spread(torch.mul(g, g:nElement() / count(xSize)), xSize) end }
