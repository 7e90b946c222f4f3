-- Derivatives of pooling, which is linear once the positions of the largest elements are known.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving = rules.saving

-- Returns the elements of x at positions in its last `dims` dimensions, counted from 1 in row-major order.
local function atPositions(x, positions, dims)
  local plane = 1
  for dim = x:dim() - dims + 1, x:dim() do plane = plane * x:size(dim) end
  local planes = x:nElement() / plane
  local flat = torch.reshape(x, { planes, plane })
  local chosen = torch.reshape(positions, { planes, positions:nElement() / planes })
  return torch.reshape(torch.gather(flat, 2, chosen), positions:size())
end

-- Only the indices are saved: the maxima may be changed in place.
rules.maxPool2d = { saving('result[2], size(x)', function(g, positions, size)
  if not g[1] then return nil end
  return torch.maxPool2d_grad(g[1], positions, size[#size - 1], size[#size])
end) }
rules.maxPool3d = { saving('result[2], size(x)', function(g, positions, size)
  if not g[1] then return nil end
  return torch.maxPool3d_grad(g[1], positions, size[#size - 2], size[#size - 1], size[#size])
end) }
rules.maxPool2d_grad = { saving('indices', function(h, indices) return atPositions(h, indices, 2) end) }
rules.maxPool3d_grad = { saving('indices', function(h, indices) return atPositions(h, indices, 3) end) }

rules.avgPool2d = { saving('size(x), ...', function(g, size, ...)
  return torch.avgPool2d_grad(g, size[#size - 1], size[#size], ...)
end) }
rules.avgPool2d_grad = { 'avgPool2d(h, kernelH, kernelW, strideH, strideW, padH, padW, ceil, countPad)' }
rules.avgPool3d = { saving('size(x), ...', function(g, size, ...)
  return torch.avgPool3d_grad(g, { size[#size - 2], size[#size - 1], size[#size] }, ...)
end) }
rules.avgPool3d_grad = {
  'avgPool3d(h, kernelT, kernelH, kernelW, strideT, strideH, strideW, padT, padH, padW, ceil, countPad)',
}

rules.plain.maxPool2d = { 'maxPool2d_grad(g, result[2], size(x, -2), size(x, -1))' }
rules.plain.maxPool3d = { 'maxPool3d_grad(g, result[2], size(x, -3), size(x, -2), size(x, -1))' }
rules.plain.avgPool2d = { 'avgPool2d_grad(g, size(x, -2), size(x, -1), kernelH, kernelW, strideH, strideW, padH, padW, ceil, countPad)' }
