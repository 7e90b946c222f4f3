--- Normalises each feature over the batch.
-- y = (x - mean) / sqrt(var + eps) * weight + bias. Training: mean and biased variance of the batch; running_mean and running_var
-- (unbiased) are updated with `momentum`. Evaluation, and training with a batch of 1: the running statistics.
-- Source: Ioffe & Szegedy (2015), "Batch Normalization", ICML, algorithm 1.
-- Shapes: x (N, n) -> (N, n); in evaluation also (n).
-- @classmod nn.BatchNormalization
local torch, check = require 'torch', require 'torch.check'
local refuse = require 'torch.check.refuse'

-- For subclasses that count the batches.
local function countBatch(self)
  if self._countBatch and not self.repeated then self:_countBatch() end
end

local BatchNormalization, parent = require 'nn'.declare {
  name = 'nn.BatchNormalization',
  parameters = { { 'weight' }, { 'bias' } },
  accepts = function(self, input) self:checkInputDim(input) end,
  prepare = function(self)
    if not self:_isJoint() then countBatch(self) end               -- else `compute` follows, which counts
  end,
  values = { 'training', 'factor' },
  formula = function(self, input)
    if input:dim() < self.nDim or self:_isJoint() then return nil end
    return 'batchNorm(input, weight, bias, running_mean, running_var, training, factor, eps)', self:_usesBatch(input), self:_factor()
  end,
  keeps = { 'save_mean', 'save_std' }, transient = { 'save_mean', 'save_std' },
  once = true,                                                     -- a forward changes the running statistics
  widens = false,
  compute = function(self, input)
    self:checkInputDim(input)
    countBatch(self)
    local batch = input
    if input:dim() < self.nDim then batch = torch.view(input, torch.LongStorage { 1, unpack(input:size():totable()) }) end
    local runningMean, runningVar = self.running_mean, self.running_var
    if self.repeated and runningMean then runningMean, runningVar = runningMean:clone(), runningVar:clone() end
    local output, mean, invstd = self:_normalise(batch, runningMean, runningVar, self:_usesBatch(input), self:_factor())
    self.save_mean, self.save_std = mean:detach(), invstd:detach()
    return batch == input and output or torch.view(output, input:size())
  end,
  prints = function(self) return (' (%dD) (%d)'):format(self.nDim, self.running_mean:nElement()) end,
}

BatchNormalization.__version = 2

BatchNormalization._bufferNames = { 'running_mean', 'running_var' }
BatchNormalization._unknownState = { num_batches_tracked = true }

-- Whether the statistics of the batch are used.
function BatchNormalization:_usesBatch(input) return self.train ~= false and input:size(1) > 1 end

-- Whether the statistics are those of several processes, which no op computes.
function BatchNormalization._isJoint() return false end

-- Returns the output, the mean and 1 / sqrt(var + eps).
function BatchNormalization:_normalise(x, runningMean, runningVar, training, factor)
  return torch.batchNorm(x, self.weight, self.bias, runningMean, runningVar, training, factor, self.eps)
end

-- The weight of the batch in the running statistics.
function BatchNormalization:_factor() return self.momentum end

-- Number of dimensions of a batch.
BatchNormalization.nDim = 2

--- @tparam int n number of features
-- @tparam[opt=1e-5] number eps added to the variance
-- @tparam[opt=0.1] number momentum weight of the batch in the running statistics
-- @tparam[opt=true] boolean affine whether weight and bias are learnt
function BatchNormalization:__init(n, eps, momentum, affine)
  parent.__init(self)
  local where = torch.type(self)
  check.that(n, where .. ': n: nil, expected the number of features: Missing argument #1: dimensionality of input. ')
  check.that(n ~= 0, where .. ': n: 0, expected 1 or more. To set affine=false call BatchNormalization(nOutput,  eps, momentum, false) ')
  n = check.whole(where, 'n', n, { min = 1 })
  check.that(affine == nil or type(affine) == 'boolean',
    where .. ': affine: ' .. tostring(affine) .. '. To set affine=false call BatchNormalization(nOutput,  eps, momentum, false) ')
  self.affine = affine ~= false
  self.eps, self.momentum = eps or 1e-5, momentum or 0.1
  self.train = true
  self.running_mean, self.running_var = torch.zeros(n), torch.ones(n)
  if self.affine then
    self:declare('weight', torch.Tensor(n))
    self:declare('bias', torch.Tensor(n))
  end
  self:reset()
end

--- Resets the weight to uniform draws from (0, 1), the bias to 0, the running mean to 0 and variance to 1.
function BatchNormalization:reset()
  torch.noGrad(function()
    if self.weight then self.weight:uniform() end
    if self.bias then self.bias:zero() end
  end)
  self.running_mean:zero()
  self.running_var:fill(1)
end

--- Checks the number of dimensions and of features.
-- @tparam torch.Tensor input
-- @raise Torch7's messages
function BatchNormalization:checkInputDim(input)
  local dim, features = input:dim(), self.running_mean:nElement()
  local single = dim == self.nDim - 1 and self.train == false
  if dim ~= self.nDim and not single then
    refuse.shape(('%s: input: only mini-batch supported (%dD tensor), got %dD tensor instead'):format(torch.type(self), self.nDim, dim))
  end
  local found = input:size(single and 1 or 2)
  if found ~= features then refuse.shape(('%s: input: got %d-feature tensor, expected %d'):format(torch.type(self), found, features)) end
end

--- Reads a saved module; version 1 has 1 / sqrt(var + eps) in running_std.
function BatchNormalization:read(file, version)
  parent.read(self, file)
  if version < 2 and self.running_std then
    self.running_var = self.running_std:pow(-2):add(-self.eps)
    self.running_std = nil
  end
end

--- Removes the bias.
-- @treturn nn.BatchNormalization self
BatchNormalization.noBias = require 'nn.support.no_bias'

return BatchNormalization
