--- Batch normalisation by the statistics of the batches of all ranks (torch.distributed), of any sizes: several processes train as one
-- with their joined batch. Without torch.distributed, with one rank, and in evaluation it is nn.BatchNorm1d to BatchNorm3d, for any number
-- of dimensions from 2 on. See docs/distributed.md.
--
-- All ranks of the group call forward and backward of the same modules in the same order. A forward exchanges count, mean and squared
-- deviations of each rank (Chan, Golub, LeVeque 1979), a backward the sums of the gradients of weight and bias.
-- @classmod nn.SyncBatchNorm
-- @usage local net = nn.DistributedDataParallel(nn.SyncBatchNorm.convert(net))
local torch, nn, C, check = require 'torch', require 'nn', require 'libmoontorch', require 'torch.check'
local autograd, batchNorm = require 'autograd.core', require 'nn.support.batchNorm'
local loaded = require('torch.modules').loaded

local where = 'nn.SyncBatchNorm'
local SyncBatchNorm = batchNorm(where, 2, math.huge, { { 'SyncBatchNorm(3)', { 2, 3, 2 } } })

-- By module, outside of its fields, so that files don't include them.
local groups, weights = setmetatable({}, { __mode = 'k' }), setmetatable({}, { __mode = 'k' })

local function distributed()
  local dist = loaded 'distributed'
  return dist and dist.isInitialized() and dist
end

-- Returns the package and the options of its calls, if the statistics are those of several ranks.
local function exchange(self)
  local dist = self.train ~= false and distributed()
  if not dist then return nil end
  local group = groups[self]
  if self.ranks and not group then
    check.raise(where .. ': group: a copy of a module, or one from a file, has none; expected nn.SyncBatchNorm.convert(net, group)')
  end
  if dist.worldSize(group) == 1 then return nil end
  return dist, { group = group }
end

-- Returns the number of values a channel, and by channel their mean and the sum of their squared deviations from it, in float64.
local function momentsOf(x)
  local dims, count = { 1 }, x:nElement() / x:size(2)
  for d = 3, x:dim() do dims[#dims + 1] = d end
  local moments = torch.DoubleTensor(2, x:size(2)):zero()
  if count > 0 then
    local wide = x:elementSize() == 2 and x:float() or x
    moments[1]:copy(torch.mean(wide, dims):view(-1))
    moments[2]:copy(torch.var(wide, dims, true):view(-1)):mul(count)
  end
  return count, moments
end

-- Returns the moments of the values of all ranks.
local function joined(dist, options, x)
  local count, moments = momentsOf(x)
  local channels = x:size(2)
  local packed = torch.DoubleTensor(2 * channels + 1)
  packed[1] = count
  packed:narrow(1, 2, 2 * channels):copy(moments:view(-1))
  local total, mean, deviations = 0, torch.zeros(channels):double(), torch.zeros(channels):double()
  for _, other in ipairs(dist.allGather(packed, options)) do
    local added = other[1]
    if added > 0 then
      local difference = other:narrow(1, 2, channels) - mean
      deviations:add(other:narrow(1, 2 + channels, channels)):add(total * added / (total + added), torch.cmul(difference, difference))
      total = total + added
      mean:add(added / total, difference)
    end
  end
  return total, mean, deviations
end

local function update(running, factor, value) running:mul(1 - factor):add(factor, torch.typeAs(value, running)) end

-- The op on the tape. Its results are those of torch.batchNorm, whose `training` is false here: so its derivative lacks the terms by which
-- the statistics depend on x.
local normalise = autograd.Function {
  name = where,
  forward = function(ctx, x, weight, bias, call)
    local total, mean, deviations = joined(call.dist, call.options, x)
    if total < 2 then check.raise(('%s: input: %d values a channel on all ranks, expected two or more'):format(where, total)) end
    if call.mean then
      update(call.mean, call.factor, mean)
      update(call.var, call.factor, deviations / (total - 1))
    end
    local function typed(statistic) return x:elementSize() == 2 and statistic:float() or statistic:typeAs(x) end
    local var = typed(deviations / total)
    local output, used, invstd = torch.batchNorm(x, weight, bias, typed(mean), var, false, 0, call.eps)
    ctx.call, ctx.total, ctx.var = call, total, var
    ctx:save(x, weight, used, invstd)
    return output, used, invstd
  end,
  backward = function(ctx, g)
    if C.gradMode() then check.raise(where .. ': backward: createGraph: sums of ranks have no gradient, expected a pass without it') end
    if not g then return end
    local x, weight, mean, invstd = ctx:saved()
    local call, channels = ctx.call, x:size(2)
    local gx, gWeight, gBias = torch.batchNorm_grad(g, x, weight, mean, invstd, false)
    local sums, share = torch.cat(gWeight:double(), gBias:double(), 1), weights[call.module] or 1
    call.dist.allReduce(sums:mul(share), 'sum', call.options)
    if share > 0 then
      -- gx - factor (mean of g + normal (mean of g normal)), in one pass over x
      local factor = torch.mul(weight and torch.cmul(invstd, torch.typeAs(weight, invstd)) or invstd, 1 / (share * ctx.total))
      local byNormal = torch.cmul(torch.typeAs(sums:narrow(1, 1, channels), factor), factor)
      local alike = torch.cmul(torch.typeAs(sums:narrow(1, 1 + channels, channels), factor), factor)
      gx = gx:add(-1, (torch.batchNorm(x, byNormal, alike, mean, ctx.var, false, 0, call.eps)))
    end
    return gx, weight and torch.typeAs(gWeight, weight), weight and torch.typeAs(gBias, weight)
  end,
}

function SyncBatchNorm:_isJoint() return exchange(self) ~= nil end

function SyncBatchNorm:_normalise(x, runningMean, runningVar, training, factor)
  local dist, options = exchange(self)
  if not dist then return nn.BatchNormalization._normalise(self, x, runningMean, runningVar, training, factor) end
  if C.capturing() then check.raise(where .. ': a capture of a forward in training on several ranks, expected a call outside of one') end
  return normalise(x, self.weight, self.bias, {
    dist = dist, options = options, module = self, mean = runningMean, var = runningVar, factor = factor, eps = self.eps,
  })
end

--- Sets the weight of this rank in the loss, whose gradient a backward needs, such as the number of examples in its batch, if the loss of a
-- rank is the mean over its examples. nn.DistributedDataParallel:setWeight sets it in its network.
-- @number weight 0 or more, 1 at first
-- @treturn nn.SyncBatchNorm self
function SyncBatchNorm:setWeight(weight)
  weights[self] = check.number(where .. '.setWeight', 'weight', weight, { min = 0 })
  return self
end

-- Sets the ranks whose batches are joined, nil for all.
local function setGroup(module, group)
  groups[module], module.ranks = group, group and { unpack(group.ranks) } or nil
  return module
end

local tensorFields = { 'weight', 'bias', 'gradWeight', 'gradBias', 'running_mean', 'running_var', 'num_batches_tracked' }

local function converted(former)
  local module = SyncBatchNorm(former.numFeatures or former.running_mean:nElement(), former.eps, former.momentum, former.affine,
    former.running_mean ~= nil)
  module:type(former:type())
  for _, name in ipairs(tensorFields) do
    if former[name] ~= nil or not name:find 'num_' then module[name] = former[name] end
  end
  module.train = former.train
  return module
end

--- Replaces the batch normalisations of a network by this class; they keep their parameters and buffers.
-- @tparam nn.Module net
-- @tparam[opt] Group group of torch.distributed.newGroup, whose ranks join their batches; all ranks by default
-- @treturn nn.Module the network, or the replacement of a net that is a batch normalisation
-- @usage nn.SyncBatchNorm.convert(nn.Sequential(nn.SpatialConvolution(3, 8, 3, 3), nn.SpatialBatchNormalization(8)))
function SyncBatchNorm.convert(net, group)
  check.instance(where .. '.convert', 'net', net, 'a module')
  if group ~= nil then
    local dist = distributed()
    check.that(dist, where .. '.convert: group: torch.distributed is not started, expected a call of torch.distributed.init before')
    check.that(type(group) == 'table' and type(group.ranks) == 'table',
      where .. '.convert: group: expected a group of torch.distributed.newGroup')
  end
  local known = {}
  return net:replace(function(module)
    if not torch.isTypeOf(module, 'nn.BatchNormalization') then return module end
    if not torch.isTypeOf(module, where) then known[module] = known[module] or converted(module) end
    return setGroup(known[module] or module, group)
  end)
end

return SyncBatchNorm
