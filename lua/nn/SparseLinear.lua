--- nn.Linear of sparse vectors: a sample is a tensor (n, 2) of positions, counted from 1, and values.
-- Shapes: a sample -> (out); a table of N samples, or a tensor (N, n, 2), where position 0 marks unused entries -> (N, out); a sparse
-- matrix (N, in) of torch.sparse -> (N, out).
-- @classmod nn.SparseLinear
local torch = require 'torch'
local onDeviceOf = require 'autograd.on_device_of'
local nn = require 'nn'
local run = require 'nn.support.run'
local boundOf = require 'nn.support.bound'
local refuse = require 'torch.check.refuse'

local function isSparse(input) return type(input) == 'table' and torch.isTypeOf(input, 'torch.Sparse') end

-- The positions, the values and the samples of the entries of a sparse matrix, and its number of rows.
local function entriesOf(self, input)
  if input:dim() ~= 2 or input:size(2) ~= self.weight:size(2) then
    refuse.shape(('nn.SparseLinear: input: a sparse tensor of sizes %s, expected a matrix with %d columns'):format(
      table.concat(input:size():totable(), ' x '), self.weight:size(2)))
  end
  local coo = input:coo()
  if coo:nnz() == 0 then return nil, nil, nil, input:size(1) end
  return coo:indices()[2], coo:values():detach():typeAs(self.weight), coo:indices()[1], input:size(1)
end

local function samplesOf(input)
  if type(input) == 'table' then return input end
  if input:dim() == 3 then
    local samples = {}
    for i = 1, input:size(1) do samples[i] = input[i] end
    return samples
  end
  return { input }
end

-- Returns the concatenated positions and values of all samples, and the sample of each.
local function gathered(self, input)
  if isSparse(input) then return entriesOf(self, input) end
  local positions, values, owners, weight = {}, {}, {}, self.weight
  local samples = samplesOf(input)
  for i, sample in ipairs(samples) do
    if sample:nElement() > 0 then
      local places = sample:select(2, 1):detach():_as 'Long'
      if type(input) ~= 'table' and input:dim() == 3 then
        local used = places:ne(0)
        places, sample = places[used], sample:select(2, 2)[used]
      else
        sample = sample:select(2, 2)
      end
      if places:nElement() > 0 then
        local worst = places:min() < 1 and places:min() or places:max()
        if worst < 1 or worst > weight:size(2) then
          refuse.range(('nn.SparseLinear: input: index out of bound. updateOutput: %d not between 1 and %d'):format(worst, weight:size(2)))
        end
        positions[#positions + 1], values[#values + 1] = places, sample:detach():typeAs(weight)
        owners[#owners + 1] = onDeviceOf(torch.LongTensor(places:nElement()):fill(i), weight)
      end
    end
  end
  if #positions == 0 then return nil, nil, nil, #samples end
  return torch.cat(positions, 1), torch.cat(values, 1), torch.cat(owners, 1), #samples
end

--- @tparam int inputSize
-- @tparam int outputSize
-- @tparam[opt=false] boolean doGradInput whether gradients with respect to the input are needed
local SparseLinear = nn.declare {
  name = 'nn.SparseLinear', takes = 'any',
  options = {
    { 'inputSize', 'int', min = 1 }, { 'outputSize', 'int', min = 1 }, { 'doGradInput', 'boolean', default = false, field = 'doGradInput' },
  },
  parameters = {
    { 'weight', function(options) return options.outputSize, options.inputSize end },
    { 'bias', function(options) return options.outputSize end },
  },
  widens = false,
  compute = function(self, input)
    if isSparse(input) then
      entriesOf(self, input)                                        -- which checks its sizes
      local product = torch.mm(input:csr():typeAs(self.weight), torch.t(self.weight))
      return self.bias and torch.add(product, torch.expand(torch.view(self.bias, 1, -1), product:size())) or product
    end
    local positions, values, owners, count = gathered(self, input)
    local size = self.weight:size(1)
    local start = self.bias or self.weight.new(size):zero()
    local output = torch.expand(torch.view(start, 1, size), count, size)
    if positions then
      local factors = torch.expand(torch.view(values, -1, 1), values:size(1), size)
      local columns = torch.cmul(torch.t(torch.index(self.weight, 2, positions)), factors)
      output = torch.add(output, torch.indexAdd(self.weight.new(count, size):zero(), 1, owners, columns))
    end
    if torch.isTensor(input) and input:dim() < 3 then return torch.view(output:contiguous(), size) end
    return torch.clone(output)
  end,
}

SparseLinear.weightDecay = 0

--- Draws the weight uniformly between -s and s, s = 1 / sqrt(inputSize), then the bias between -s and s, times 1e-6.
-- @tparam[opt] number stdv standard deviation of the draws instead
function SparseLinear:reset(stdv)
  local bound = boundOf(self, stdv, 1 / math.sqrt(self.weight:size(2)))
  self:draw(bound)
  if self.bias then torch.noGrad(self.bias.mul, self.bias, 0.000001) end
end

function SparseLinear:updateOutput(input)
  self.output:set(torch.noGrad(run.onTape, self, input))
  return self.output
end

-- Returns the rows of gradOutput, one per sample.
local function rowsOf(gradOutput)
  return gradOutput:dim() == 1 and gradOutput:view(1, -1) or gradOutput
end

function SparseLinear:accGradParameters(input, gradOutput, scale)
  scale = scale or 1
  self.lastInput = self.lastInput and 'several' or input
  local positions, values, owners = gathered(self, input)
  local rows = rowsOf(gradOutput)
  if positions then
    local columns = torch.cmul(rows:index(1, owners), values:view(-1, 1):expand(values:size(1), rows:size(2)))
    self.gradWeight:indexAdd(2, positions, columns:mul(scale):t():contiguous())
  end
  if self.bias then self.gradBias:add(scale, rows:sum(1):view(-1)) end
  if self.weightDecay ~= 0 then self.gradWeight:add(scale * self.weightDecay, self.weight) end
end

--- With doGradInput, returns the gradient for every position: a table with a tensor (in, 2) of positions and gradients for each sample, or
-- a tensor (N, in, 2) for a tensor (N, n, 2). Otherwise returns an empty table.
function SparseLinear:updateGradInput(input, gradOutput)
  self.gradInput = {}
  if not self.doGradInput then return self.gradInput end
  local dense = torch.mm(rowsOf(gradOutput), self.weight)
  local count, size = dense:size(1), dense:size(2)
  local positions = onDeviceOf(torch.range(1, size):typeAs(dense), dense):view(1, size):expand(count, size)
  local all = torch.cat(positions:contiguous():view(count, size, 1), dense:view(count, size, 1), 3)
  if torch.isTensor(input) and input:dim() == 3 then
    self.gradInput = all
  else
    for i = 1, count do self.gradInput[i] = all[i] end
  end
  return self.gradInput
end

SparseLinear.derived = {
  updateOutput = SparseLinear.updateOutput, updateGradInput = SparseLinear.updateGradInput,
  accGradParameters = SparseLinear.accGradParameters,
}

-- The columns to which gradients were added since they were zeroed, if that was once; nil means all.
local function touched(self)
  local last = self.lastInput
  if last == nil or last == 'several' or self.weightDecay ~= 0 then return nil end
  return (gathered(self, last))
end

function SparseLinear:updateParameters(lr)
  local columns = touched(self)
  if not columns then return nn.Module.updateParameters(self, lr) end
  local unique, seen = {}, {}
  for i = 1, columns:nElement() do
    if not seen[columns[i]] then unique[#unique + 1], seen[columns[i]] = columns[i], true end
  end
  columns = onDeviceOf(torch.LongTensor(unique), self.weight)
  torch.noGrad(function()
    self.weight:indexAdd(2, columns, self.gradWeight:index(2, columns):mul(-lr))
    if self.bias then self.bias:add(-lr, self.gradBias) end
  end)
end

function SparseLinear:zeroGradParameters()
  local columns = touched(self)
  if columns then
    self.gradWeight:indexFill(2, columns, 0)
    if self.bias then self.gradBias:zero() end
  else
    nn.Module.zeroGradParameters(self)
  end
  self.lastInput = nil
end

-- The gradient does not depend on the weights, so the update may change them during accumulation.
SparseLinear.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

--- Also frees the last input.
function SparseLinear:clearState()
  self.lastInput = nil
  return nn.Module.clearState(self)
end

--- Removes the bias.
-- @treturn nn.SparseLinear self
SparseLinear.noBias = require 'nn.support.no_bias'

return SparseLinear
