--- Declares a batch normalisation with PyTorch's arguments: nn.BatchNorm1d to BatchNorm3d, nn.SyncBatchNorm.
-- Fields running_mean, running_var and num_batches_tracked are buffers, with PyTorch's names.
-- @module nn.support.batchNorm
local torch, nn = require 'torch', require 'nn'
local check, byName = require 'torch.check', require('nn.support.options').byName
local refuse, sizesOf = require 'torch.check.refuse', require('torch.check.message').sizes

--- @string name of the class
-- @int least number of dimensions of an input
-- @int most likewise
-- @tparam {table,...} samples as for nn.declare
-- @treturn table the class
return function(name, least, most, samples)
  local BatchNorm = nn.declare {
    name = name, parent = 'nn.BatchNormalization',
    options = {
      { 'numFeatures', 'int', min = 1 }, { 'eps', 'number', min = 0, default = 1e-5 }, { 'momentum', 'any', default = 0.1 },
      { 'affine', 'boolean', default = true }, { 'trackRunningStats', 'boolean', default = true },
    },
    prints = function(self) return ('(%d)'):format(self.numFeatures) end,
    samples = samples,
  }

  BatchNorm.nDim = least
  BatchNorm._bufferNames = { 'running_mean', 'running_var', 'num_batches_tracked' }
  BatchNorm._unknownState = {}

  local parentType = BatchNorm.type

  local function init(self, numFeatures, eps, momentum, affine, trackRunningStats)
    nn.Module.__init(self)
    self.numFeatures = check.int(name, 'numFeatures', numFeatures, { min = 1 })
    self.eps = check.number(name, 'eps', eps or 1e-5, { min = 0 })
    if momentum == nil then momentum = 0.1 end
    self.momentum = momentum and check.number(name, 'momentum', momentum, { min = 0, max = 1 })
    self.affine, self.trackRunningStats, self.train = affine ~= false, trackRunningStats ~= false, true
    if self.trackRunningStats then
      self.running_mean, self.running_var = torch.zeros(numFeatures), torch.ones(numFeatures)
      self.num_batches_tracked = torch.LongTensor(1):zero()
    end
    if self.affine then
      self:declare('weight', torch.Tensor(numFeatures))
      self:declare('bias', torch.Tensor(numFeatures))
    end
    self:reset()
  end
  BatchNorm.__init = byName(init)
  BatchNorm.declaredInit = nil

  --- Sets weight and running variance to 1, bias, running mean and the number of batches to 0.
  function BatchNorm:reset()
    torch.noGrad(function()
      if self.weight then self.weight:fill(1) end
      if self.bias then self.bias:zero() end
    end)
    if not self.running_mean then return end
    self.running_mean:zero()
    self.running_var:fill(1)
    self.num_batches_tracked:zero()
  end

  function BatchNorm:_countBatch()
    if self.train ~= false and self.running_mean then self.num_batches_tracked:add(1) end
  end

  function BatchNorm:_usesBatch() return self.train ~= false or self.running_mean == nil end

  -- Without a momentum, running statistics are the averages of all batches.
  function BatchNorm:_factor() return self.momentum or self.num_batches_tracked and 1 / self.num_batches_tracked[1] or 0 end

  --- Converts all tensors but the number of batches, which is an integer.
  function BatchNorm:type(typename, ...)
    local converted = parentType(self, typename, ...)
    if typename and self.num_batches_tracked then self.num_batches_tracked = self.num_batches_tracked:long() end
    return converted
  end

  --- Checks the number of dimensions and of features.
  -- @tparam torch.Tensor input
  function BatchNorm:checkInputDim(input)
    local dims = input:dim()
    if dims < least or dims > most or input:size(2) ~= self.numFeatures then
      refuse.shape(('%s: input: %s, expected (N, %d%s)'):format(name, sizesOf(input), self.numFeatures,
        ({ [2] = ', L) or (N, ' .. self.numFeatures, [4] = ', H, W', [5] = ', T, H, W' })[least] or ''))
    end
  end

  BatchNorm.__givesWay = true
  return BatchNorm
end
