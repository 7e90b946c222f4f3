--- Normalises each sample over its last dimensions.
-- y = (x - mean) / sqrt(var + eps) * weight + bias, with mean and variance over the last dimensions, whose sizes are given.
-- Source: Ba, Kiros & Hinton (2016), "Layer Normalization", arXiv:1607.06450, equation 4.
-- Shapes: x (…, sizes) -> (…, sizes). (Torch7's nn.LayerNormalization has other sizes and another eps.)
-- @classmod nn.LayerNorm
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local sizesOf = require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'

local LayerNorm, parent = torch.class('nn.LayerNorm', 'nn.Module')
LayerNorm.__givesWay = true

--- @tparam int|{int,...} sizes of the last dimensions
-- @tparam[opt=1e-5] number eps added to the variance
-- @tparam[opt=true] boolean affine whether weight and bias are learnt
-- @tparam[opt=true] boolean bias whether a bias is learnt
function LayerNorm:__init(sizes, eps, affine, bias)
  parent.__init(self)
  self.sizes = type(sizes) == 'table' and sizes or { sizes }
  self.count = 1
  for _, size in ipairs(self.sizes) do self.count = self.count * check.int('nn.LayerNorm', 'sizes', size, { min = 1 }) end
  self.eps = check.number('nn.LayerNorm', 'eps', eps or 1e-5, { min = 0 })
  if affine ~= false then
    local size = torch.LongStorage(self.sizes)
    self:declare('weight', torch.Tensor(size))
    if bias ~= false then self:declare('bias', torch.Tensor(size)) end
  end
  self:reset()
end

--- Sets the weight to 1 and the bias to 0.
function LayerNorm:reset() self:fillIdentity() end

local function fits(sizes, input)
  local first = input:dim() - #sizes
  if first < 0 then return false end
  for d, size in ipairs(sizes) do
    if input:size(first + d) ~= size then return false end
  end
  return true
end

function LayerNorm:compute(input)
  if not fits(self.sizes, input) then
    refuse.shape(('%s: input: %s, expected [%s] in the last dimensions'):format(torch.type(self), sizesOf(input),
      table.concat(self.sizes, ', ')))
  end
  if #self.sizes == 1 then return (torch.layerNorm(input, self.weight, self.bias, self.eps)) end
  local rows = torch.view(torch.contiguous(input), -1, self.count)
  return torch.view(torch.layerNorm(rows, self.weight, self.bias, self.eps), input:size())
end

function LayerNorm:__tostring__()
  return ('%s(%s)'):format(torch.type(self), table.concat(self.sizes, ', '))
end

return require('nn.support.options').install(LayerNorm)
