--- Instance normalisation with PyTorch's names and arguments: nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d.
-- y = (x - mean) / sqrt(var + eps) * weight + bias, by mean and variance of each channel of each sample; in evaluation by the running
-- statistics if trackRunningStats.
-- Source: Ulyanov, Vedaldi & Lempitsky (2016), "Instance Normalization", arXiv:1607.08022.
-- Shapes: x (N, C, L), (N, C, H, W), (N, C, T, H, W), or without N, kept.
-- @module nn.dimensional.InstanceNorm
local torch, nn = require 'torch', require 'nn'
local refuse, sizesOf = require 'torch.check.refuse', require('torch.check.message').sizes

local places = { 'L', 'H, W', 'T, H, W' }

return function(dims)
  local name = ('InstanceNorm%dd'):format(dims)
  local input = { 2, 3, unpack({ 4, 2, 2 }, 1, dims) }
  local InstanceNorm = nn.declare {
    name = 'nn.' .. name,
    options = {
      { 'numFeatures', 'int', min = 1, field = 'numFeatures' }, { 'eps', 'number', min = 0, default = 1e-5, field = 'eps' },
      { 'momentum', 'number', min = 0, max = 1, default = 0.1, field = 'momentum' }, { 'affine', 'boolean', default = false },
      { 'trackRunningStats', 'boolean', default = false },
    },
    parameters = {
      { 'weight', function(options) if options.affine then return options.numFeatures end end },
      { 'bias', function(options) if options.affine then return options.numFeatures end end },
    },
    buffers = {
      { 'running_mean', function(options) if options.trackRunningStats then return options.numFeatures end end },
      { 'running_var', function(options) if options.trackRunningStats then return options.numFeatures end end },
    },
    once = true,                                                     -- a forward changes the running statistics
    compute = function(self, x)
      local isSingle = x:dim() == dims + 1
      local batch = isSingle and torch.view(torch.contiguous(x), torch.LongStorage { 1, unpack(x:size():totable()) }) or x
      local mean, var = self.running_mean, self.running_var
      if self.repeated and mean then mean, var = mean:clone(), var:clone() end
      local y = nn.functional.instanceNorm(batch, mean, var, self.weight, self.bias, self.train ~= false or mean == nil, self.momentum,
        self.eps)
      return isSingle and torch.view(y, x:size()) or y
    end,
    accepts = function(self, x)
      local is = x:dim() - dims
      if (is ~= 1 and is ~= 2) or x:size(is) ~= self.numFeatures then
        refuse.shape(('nn.%s: input: %s, expected (N, %d, %s) or (%d, %s)'):format(name, sizesOf(x), self.numFeatures, places[dims],
          self.numFeatures, places[dims]))
      end
    end,
    prints = function(self) return ('(%d)'):format(self.numFeatures) end,
    samples = { { name .. '(3)', input, rows = true }, { name .. '(3, { affine = true, trackRunningStats = true })', input } },
  }
  InstanceNorm._bufferNames = { 'running_mean', 'running_var' }
  InstanceNorm._unknownState = { num_batches_tracked = true }

  --- Sets weight and running variance to 1, bias and running mean to 0.
  function InstanceNorm:reset()
    if self.weight then self:fillIdentity() end
    if self.running_mean then
      self.running_mean:zero()
      self.running_var:fill(1)
    end
  end

  InstanceNorm.__givesWay = true
  return InstanceNorm
end
