--- An affine map whose inputs are spread over the ranks of a group: y = sum over the ranks of W_r x_r, plus b, with the columns of W in the
-- order of the ranks. All ranks have b.
-- Shapes: x (..., in), the same on all ranks, or with inputIsParallel (..., in / n), this rank's part -> (..., out).
-- Source: Shoeybi et al. (2019), "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism", section 3.
-- @classmod nn.RowParallelLinear
local torch, nn = require 'torch', require 'nn'
local check, sharded = require 'torch.check', require 'nn.support.sharded'
local functional = require('torch.distributed').functional

local where = 'nn.RowParallelLinear'

local RowParallelLinear, parent = torch.class(where, 'nn.Module')
RowParallelLinear.__givesWay = true

local function take(self, layer, inputIsParallel, group)
  parent.__init(self)
  self.inputIsParallel = check.flag(where, 'inputIsParallel', inputIsParallel) or false
  self.inputSize, self.outputSize = layer.weight:size(2), layer.weight:size(1)
  group = sharded.begin(self, layer, group)
  sharded.divides(where, 'inputSize', self.inputSize, group)
  sharded.declarePart(self, 'weight', layer.weight, 2, group)
  sharded.declare(self, 'bias', layer.bias)
  return self
end

--- Draws an nn.Linear on the first rank of the group, and takes this rank's columns. All ranks of the group call it.
-- @tparam int inputSize a multiple of the number of ranks
-- @tparam int outputSize
-- @tparam[opt=true] boolean bias
-- @tparam[opt=false] boolean inputIsParallel the input is this rank's part: the output of nn.ColumnParallelLinear without gatherOutput
-- @tparam[opt] Group group of torch.distributed.newGroup; all ranks by default
function RowParallelLinear:__init(inputSize, outputSize, bias, inputIsParallel, group)
  take(self, nn.Linear(inputSize, outputSize, bias), inputIsParallel, group)
end

--- Returns a layer with the columns of an nn.Linear that belong to this rank. All ranks of the group call it, and get those of its first
-- rank.
-- @function from
-- @tparam nn.Linear layer
-- @tparam[opt] table options `inputIsParallel` (false), `group`
-- @treturn nn.RowParallelLinear
RowParallelLinear.from = sharded.from(where, 'nn.Linear', take, { 'inputIsParallel', 'group' })

function RowParallelLinear:compute(input)
  local options = { group = sharded.group(self) }
  local part = self.inputIsParallel and input or functional.scatterToRegion(input, input:dim(), options)
  local y = functional.reduceFromRegion(torch.linear(part, self.weight), options)
  return self.bias and torch.add(y, self.bias:expandAs(y)) or y
end

--- Returns an nn.Linear with the columns of all ranks, which all call it.
-- @treturn nn.Linear
function RowParallelLinear:gathered()
  local group = sharded.group(self)
  local layer = nn.utils.skipInit(nn.Linear, self.inputSize, self.outputSize, self.bias ~= nil):type(self:type())
  sharded.collect(layer.weight, self.weight, group, 2)
  if self.bias then sharded.collect(layer.bias, self.bias, group) end
  return layer
end

function RowParallelLinear:__tostring__()
  return ('%s(%d -> %d, 1 of %d parts)%s'):format(where, self.inputSize, self.outputSize, #self.ranks, self.bias and '' or ' without bias')
end

return require('nn.support.options').install(RowParallelLinear)
