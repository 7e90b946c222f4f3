--- nn.ClassNLLCriterion for each pixel.
-- Shapes: input (N, C, H, W), log probabilities; target (N, H, W), classes counted from 1.
-- @classmod nn.SpatialClassNLLCriterion
local torch = require 'torch'
local nn = require 'nn'
local refuse = require 'torch.check.refuse'

local function loss(self, input, target)
  if target:dim() ~= 3 then
    refuse.shape('only batches of spatial targets supported (3D tensors) but got targets of dimension: ' .. target:dim())
  end
  if input:dim() ~= 4 then
    refuse.shape('only batches of spatial inputs supported (4D tensors), but got input of dimension: ' .. input:dim())
  end
  if input:size(1) ~= target:size(1) or input:size(3) ~= target:size(2) or input:size(4) ~= target:size(3) then
    refuse.shape(('size mismatch (got input: %s, target: %s)'):format(table.concat(input:size():totable(), 'x'),
      table.concat(target:size():totable(), 'x')))
  end
  local pixels = torch.view(torch.permute(input, 1, 3, 4, 2):contiguous(), -1, input:size(2))
  return nn.ClassNLLCriterion.compute(self, pixels, target:contiguous():view(-1))
end

local SpatialClassNLLCriterion = nn.declare {
  name = 'nn.SpatialClassNLLCriterion', parent = 'nn.ClassNLLCriterion',
  compute = loss,
  samples = { { 'SpatialClassNLLCriterion()', { 2, 3, 2, 1 }, 'torch.LongTensor { { { 1 }, { 3 } }, { { 2 }, { 1 } } }' } },
}

return SpatialClassNLLCriterion
