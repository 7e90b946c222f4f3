--- Parts of Inception networks: a convolution with normalisation, and blocks of chains of them side by side.
-- @module zoo.inception
local torch, nn, images = require 'torch', require 'nn', require 'zoo.images'

local inception = {}
local Conv = torch.class('zoo.InceptionConv', 'nn.Module', inception)
local Block = torch.class('zoo.InceptionBlock', 'nn.Module', inception)

function Conv:__init(inputs, outputs, size, stride, padding)
  self.conv = nn.Conv2d(inputs, outputs, size, { stride = stride or 1, padding = padding or 0, bias = false })
  self.bn = nn.BatchNorm2d(outputs, 0.001)
end

function Conv:forward(x) return torch.relu(self.bn(self.conv(x))) end

-- A block has a list of chains of layers {name, channels, size of the kernel, stride}; `pool` is what a chain begins with, and a layer with
-- `split` stands for two, whose results are joined. Convolutions with stride 2 have no padding.
function Block:__init(inputs, chains)
  self.chains, self.outputs = chains, 0
  for _, chain in ipairs(chains) do
    local channels = inputs
    for _, layer in ipairs(chain) do
      local before = channels
      for _, each in ipairs(layer.split or { layer }) do
        local name, outputs, size, stride = unpack(each)
        size = type(size) == 'table' and size or { size, size }
        self[name] = inception.InceptionConv(before, outputs, size, stride, stride == 2 and 0 or { (size[1] - 1) / 2, (size[2] - 1) / 2 })
        channels = layer.split and each ~= layer.split[1] and channels + outputs or outputs
      end
    end
    self.outputs = self.outputs + channels
  end
end

function Block:forward(x)
  local results = {}
  for i, chain in ipairs(self.chains) do
    local y = x
    if chain.pool == 'mean' then y = nn.functional.avgPool2d(x, 3, 1, 1) end
    if chain.pool == 'max' then y = nn.functional.maxPool2d(x, 3, 2) end
    for _, layer in ipairs(chain) do
      local split = layer.split
      y = split and torch.cat({ self[split[1][1]](y), self[split[2][1]](y) }, 2) or self[layer[1]](y)
    end
    results[i] = y
  end
  return torch.cat(results, 2)
end

--- Returns pictures with ImageNet's normalisation in that of means and deviations of 0.5.
-- @tparam torch.Tensor x (N, 3, H, W)
-- @treturn torch.Tensor
function inception.transformed(x)
  local function ofChannels(list) return torch.Tensor(list):typeAs(x):view(1, 3, 1, 1) end
  local mean, std = ofChannels(images.normalisation.mean), ofChannels(images.normalisation.std)
  return torch.add(torch.cmul(x, (std / 0.5):expandAs(x)), ((mean - 0.5) / 0.5):expandAs(x))
end

return inception
