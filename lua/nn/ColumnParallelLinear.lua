--- An affine map whose outputs are spread over the ranks of a group: y_r = W_r x + b_r, with the rows of W in the order of the ranks.
-- Shapes: x (..., in), the same on all ranks -> (..., out), or with gatherOutput = false (..., out / n), this rank's part.
-- Source: Shoeybi et al. (2019), "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism", section 3.
-- @classmod nn.ColumnParallelLinear
-- @usage local first = nn.ColumnParallelLinear(64, 256, { gatherOutput = false })
-- local second = nn.RowParallelLinear(256, 64, { inputIsParallel = true })      -- of first's parts: one sum for both layers
local torch, nn = require 'torch', require 'nn'
local check, sharded = require 'torch.check', require 'nn.support.sharded'
local functional = require('torch.distributed').functional

local where = 'nn.ColumnParallelLinear'

local ColumnParallelLinear, parent = torch.class(where, 'nn.Module')
ColumnParallelLinear.__givesWay = true

local function take(self, layer, gatherOutput, group)
  parent.__init(self)
  self.gatherOutput = check.flag(where, 'gatherOutput', gatherOutput) ~= false
  self.inputSize, self.outputSize = layer.weight:size(2), layer.weight:size(1)
  group = sharded.begin(self, layer, group)
  sharded.divides(where, 'outputSize', self.outputSize, group)
  sharded.declarePart(self, 'weight', layer.weight, 1, group)
  sharded.declarePart(self, 'bias', layer.bias, 1, group)
  return self
end

--- Draws an nn.Linear on the first rank of the group, and takes this rank's rows. All ranks of the group call it.
-- @tparam int inputSize
-- @tparam int outputSize a multiple of the number of ranks
-- @tparam[opt=true] boolean bias
-- @tparam[opt=true] boolean gatherOutput the output has the parts of all ranks
-- @tparam[opt] Group group of torch.distributed.newGroup; all ranks by default
function ColumnParallelLinear:__init(inputSize, outputSize, bias, gatherOutput, group)
  take(self, nn.Linear(inputSize, outputSize, bias), gatherOutput, group)
end

--- Returns a layer with the rows of an nn.Linear that belong to this rank. All ranks of the group call it, and get those of its first rank.
-- @function from
-- @tparam nn.Linear layer
-- @tparam[opt] table options `gatherOutput` (true), `group`
-- @treturn nn.ColumnParallelLinear
ColumnParallelLinear.from = sharded.from(where, 'nn.Linear', take, { 'gatherOutput', 'group' })

function ColumnParallelLinear:compute(input)
  local options = { group = sharded.group(self) }
  local y = torch.linear(functional.copyToRegion(input, options), self.weight, self.bias)
  return self.gatherOutput and functional.gatherFromRegion(y, y:dim(), options) or y
end

--- Returns an nn.Linear with the rows of all ranks, which all call it.
-- @treturn nn.Linear
function ColumnParallelLinear:gathered()
  local group = sharded.group(self)
  local layer = nn.utils.skipInit(nn.Linear, self.inputSize, self.outputSize, self.bias ~= nil):type(self:type())
  sharded.collect(layer.weight, self.weight, group, 1)
  if self.bias then sharded.collect(layer.bias, self.bias, group, 1) end
  return layer
end

function ColumnParallelLinear:__tostring__()
  return ('%s(%d -> %d, 1 of %d parts)%s'):format(where, self.inputSize, self.outputSize, #self.ranks, self.bias and '' or ' without bias')
end

return require('nn.support.options').install(ColumnParallelLinear)
