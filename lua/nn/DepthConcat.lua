--- nn.Concat of outputs whose other dimensions may differ: smaller ones are centred and padded with zeros.
-- Source: Szegedy et al. (2015), "Going Deeper with Convolutions", CVPR, figure 2.
-- @classmod nn.DepthConcat
local torch = require 'torch'
local nn = require 'nn'
local branches, border, slicesOf = require 'nn.support.branches', require 'nn.support.border', require 'autograd.slices'

local DepthConcat = torch.class('nn.DepthConcat', 'nn.Concat')

local function firstOf(size, whole)
  return math.floor((whole - size) / 2 + 1)
end

-- Pads with zeros before and after along each dimension except `self.dimension`, up to the sizes of `whole`.
local function padded(self, output, whole)
  for d = 1, output:dim() do
    if d ~= self.dimension then
      local before = firstOf(output:size(d), whole[d]) - 1
      output = border.zero(output, d, before, whole[d] - output:size(d) - before)
    end
  end
  return output
end

function DepthConcat:join(outputs, held)
  local whole = outputs[1]:size():totable()
  for _, output in ipairs(outputs) do
    for d = 1, #whole do whole[d] = math.max(whole[d], output:size(d)) end
  end
  local parts = {}
  for i, output in ipairs(outputs) do parts[i] = padded(self, output, whole) end
  return nn.Concat.join(self, parts, held)
end

function DepthConcat:part(gradOutput, i)
  local part, size = nn.Concat.part(self, gradOutput, i), self.modules[i].output:size()
  for d = 1, #size do
    if size[d] ~= part:size(d) then part = slicesOf(part, d, firstOf(size[d], part:size(d)), size[d]) end
  end
  return part
end

return branches.install(DepthConcat)
