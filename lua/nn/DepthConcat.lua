--- nn.Concat of outputs whose other dimensions may differ: smaller ones are put in the middle of zeros.
-- Source: Szegedy et al. (2015), "Going Deeper with Convolutions", CVPR, figure 2.
-- @classmod nn.DepthConcat
local torch = require 'torch'
local nn = require 'nn'
local branches = require 'nn.branches'

local DepthConcat = torch.class('nn.DepthConcat', 'nn.Concat')

local function firstOf(size, whole)
  return math.floor((whole - size) / 2 + 1)
end

-- Zeros before and after along each dimension but `self.dimension`, up to the sizes of `whole`.
local function padded(self, output, whole)
  for d = 1, output:dim() do
    local missing = d ~= self.dimension and whole[d] - output:size(d) or 0
    if missing > 0 then
      local before, sizes = firstOf(output:size(d), whole[d]) - 1, output:size():totable()
      local function zeros(count)
        sizes[d] = count
        return output.new():resize(torch.LongStorage(sizes)):zero()
      end
      local parts = {}
      if before > 0 then parts[1] = zeros(before) end
      parts[#parts + 1] = output
      if missing > before then parts[#parts + 1] = zeros(missing - before) end
      output = torch.cat(parts, d)
    end
  end
  return output
end

function DepthConcat:join(outputs)
  local whole = outputs[1]:size():totable()
  for _, output in ipairs(outputs) do
    for d = 1, #whole do whole[d] = math.max(whole[d], output:size(d)) end
  end
  local parts = {}
  for i, output in ipairs(outputs) do parts[i] = padded(self, output, whole) end
  return nn.Concat.join(self, parts)
end

function DepthConcat:part(gradOutput, i)
  local part, size = nn.Concat.part(self, gradOutput, i), self.modules[i].output:size()
  for d = 1, #size do
    if d ~= self.dimension then part = part:narrow(d, firstOf(size[d], part:size(d)), size[d]) end
  end
  return part
end

return branches.install(DepthConcat)
