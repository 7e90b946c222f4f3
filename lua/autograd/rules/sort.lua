-- Derivatives of sorting and order statistics: each result's gradient goes to the position of its element.
local torch = require 'torch'
local rules = require 'autograd.rules'

-- Of the results only the positions are saved: programs may write to the values.
local toPositions = rules.saving('result[2], size(x), dim', function(g, positions, size, dim)
  return torch.gather_grad(g[1], size, dim, positions)
end)

for _, name in ipairs { 'sort', 'topk', 'kthvalue', 'median', 'mode' } do rules[name] = { toPositions } end
