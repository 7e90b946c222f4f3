--- (sum of x^power)^(1 / power) over windows of features.
-- Shapes: x (F, ...) -> ((F - width) / stride + 1, ...), up to 3 dimensions; with batch_mode both with leading N.
-- @classmod nn.FeatureLPPooling
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local refuse = require 'torch.check.refuse'

local FeatureLPPooling, parent = nn.declare {
  name = 'nn.FeatureLPPooling',
  -- If a window's sum is 0, so are the output and its gradient: the root uses 1 instead.
  compute = function(self, input)
    local first = self.batch_mode and 2 or 1
    local dim, size = input:dim(), input:size():totable()
    if dim < first or dim > first + 2 then
      refuse.shape(('nn.FeatureLPPooling: input: %d dimensions, expected %d to %d'):format(dim, first, first + 2))
    end
    if size[first] < self.width then
      refuse.shape(('nn.FeatureLPPooling: input: %d features, expected the width %d or more'):format(size[first], self.width))
    end
    local rest = 1
    for d = first + 1, dim do rest = rest * size[d] end
    local powers = self.power == 2 and torch.cmul(input, input) or torch.pow(input, self.power)
    local planes = torch.reshape(powers, { first == 2 and size[1] or 1, size[first], rest })
    local sums = torch.mul(torch.avgPool2d(planes, self.width, 1, self.stride, 1), self.width)
    local empty = torch.to(torch.eq(sums:detach(), 0), sums:type())
    local roots = torch.cmul(torch.pow(torch.add(sums, empty), 1 / self.power), torch.csub(torch.add(torch.mul(empty, 0), 1), empty))
    size[first] = roots:size(2)
    return torch.reshape(roots, size)
  end,
  samples = { { 'FeatureLPPooling(3, 2, 2)', { 7, 2, 3 } }, { 'FeatureLPPooling(2, 1, 3, true)', { 2, 4 }, positive = true } },
}

--- @tparam int width features of a window, 2 to 16
-- @tparam int stride step in features, 1 to 4
-- @tparam number power more than 0
-- @tparam[opt=false] boolean batch_mode whether the first dimension is a batch
function FeatureLPPooling:__init(width, stride, power, batch_mode)
  parent.__init(self)
  if type(width) ~= 'number' or width < 2 or width > 16 then
    check.raise(('nn.FeatureLPPooling: width: %s: width must be within 2 to 16'):format(tostring(width)))
  end
  if type(stride) ~= 'number' or stride < 1 or stride > 4 then
    check.raise(('nn.FeatureLPPooling: stride: %s: stride must be within 1 to 4'):format(tostring(stride)))
  end
  self.width, self.stride = width, stride
  self.power = power
  self.batch_mode = batch_mode and true or false
end

return FeatureLPPooling
