-- Derivatives of pooling, which is linear once the positions of the largest elements are known.
local torch = require 'torch'
local rules = require 'autograd.rules'

-- Elements of x at positions in its last `dims` dimensions, counted from 1 in row-major order.
local function atPositions(x, positions, dims)
  local plane = 1
  for dim = x:dim() - dims + 1, x:dim() do plane = plane * x:size(dim) end
  local planes = x:nElement() / plane
  local flat = torch.reshape(x, { planes, plane })
  local chosen = torch.reshape(positions, { planes, positions:nElement() / planes })
  return torch.reshape(torch.gather(flat, 2, chosen), positions:size())
end

-- The indices alone are kept: the maxima may be changed in place.
rules.maxPool2d = { function(g, rest, xSize)
  if not g[1] then return nil end
  return torch.maxPool2d_grad(g[1], rest[1], xSize[#xSize - 1], xSize[#xSize])
end }
rules.maxPool3d = { function(g, rest, xSize)
  if not g[1] then return nil end
  return torch.maxPool3d_grad(g[1], rest[1], xSize[#xSize - 2], xSize[#xSize - 1], xSize[#xSize])
end }
rules.maxPool2d_grad = { function(h, _, _, indices) return atPositions(h, indices, 2) end }
rules.maxPool3d_grad = { function(h, _, _, indices) return atPositions(h, indices, 3) end }

rules.avgPool2d = { function(g, _, xSize, ...) return torch.avgPool2d_grad(g, xSize[#xSize - 1], xSize[#xSize], ...) end }
rules.avgPool2d_grad = { function(h, _, _, _, _, ...) return torch.avgPool2d(h, ...) end }
rules.avgPool3d = { function(g, _, xSize, ...)
  return torch.avgPool3d_grad(g, { xSize[#xSize - 2], xSize[#xSize - 1], xSize[#xSize] }, ...)
end }
rules.avgPool3d_grad = { function(h, _, _, _, ...) return torch.avgPool3d(h, ...) end }
