--- nn.Linear of sparse vectors, whose gradients are stored only for positions that occurred.
-- Shapes: {positions (n), values (n)} -> (out); {{positions, ...}, {values, ...}} of N samples, or {positions, values, sizes} with all
-- samples concatenated and N sizes, or with a number as the size of a single one -> (N, out). Positions are LongTensors.
-- @classmod nn.IndexLinear
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local onDeviceOf = require 'autograd.on_device_of'
local explain = require 'nn.support.explain'
local boundOf = require 'nn.support.bound'

-- Returns concatenated positions and values, the sample of each, and the number of samples (nil: a single one).
local function gathered(self, input)
  local keys, values, sizes = explain.input(self, input)[1], input[2], input[3]
  local count
  if type(keys) == 'table' then
    count, sizes = #keys, torch.LongTensor(#keys)
    for i = 1, #keys do sizes[i] = keys[i]:nElement() end
    keys, values = torch.cat(keys, 1), torch.cat(values, 1)
  elseif sizes then
    if type(sizes) == 'number' then sizes = torch.LongTensor { sizes } end
    count = sizes:nElement()
  end
  local owners = torch.LongTensor(keys:nElement()):fill(1)
  local first = 1
  for i = 1, count or 0 do
    if sizes[i] > 0 then owners:narrow(1, first, sizes[i]):fill(i) end
    first = first + sizes[i]
  end
  local positions = self.offset == 0 and keys:_as 'Long' or torch.csub(keys:_as 'Long', self.offset)
  return positions, values, onDeviceOf(owners, keys), count
end

-- Divides the values by the maxima at their positions, which are updated in training.
local function normalized(self, positions, values)
  if self.normalize == 0 then return values end
  local weight = C.detach(self.weight)                           -- maxima are not learned
  local largest, inverse = weight:select(2, 1), weight:select(2, 2)
  if self.train ~= false then
    local plain = C.detach(values)
    for i = 1, positions:nElement() do
      local size = math.abs(plain[i])
      if size > largest[positions[i]] then
        largest[positions[i]] = size
        inverse[positions[i]] = 1 / size
      end
    end
  end
  return torch.cmul(values, inverse:index(1, positions))
end

-- Returns the start values of the sums: the bias, one row per sample.
local function startOf(self, count)
  local bias = self.bias or self.weight.new(self.outputSize):zero()
  return torch.expand(torch.view(bias, 1, self.outputSize), count or 1, self.outputSize)
end

local IndexLinear, parent = require 'nn'.declare {
  name = 'nn.IndexLinear', takes = 'table',
  -- On the tape, the gradient with respect to the weight is dense.
  widens = false,
  compute = function(self, input)
    local positions, values, owners, count = gathered(self, input)
    values = torch.contiguous(normalized(self, positions, values))
    local rows = torch.narrow(torch.index(self.weight, 1, positions), 2, self.normalize + 1, self.outputSize)
    local products = torch.cmul(rows, torch.expand(torch.view(values, values:nElement(), 1), values:nElement(), self.outputSize))
    local sums = torch.clone(startOf(self, count))
    sums = torch.indexAdd(sums, 1, owners, products)
    return count and sums or torch.view(sums, self.outputSize)
  end,
}

--- @tparam int inputSize
-- @tparam int outputSize
-- @tparam[opt=false] boolean doGradInput whether gradients with respect to the values are needed
-- @tparam[opt=1] int keysOffset the position of the first input
-- @tparam[opt] torch.Tensor weight (inputSize, outputSize) to use
-- @tparam[opt] torch.Tensor bias; false for none
-- @tparam[opt=false] boolean normalize divide each value by the maximum so far at its position; the weight then has 4 additional columns,
--   of which the first contains the maximum and the second its inverse
function IndexLinear:__init(inputSize, outputSize, doGradInput, keysOffset, weight, bias, normalize)
  inputSize = check.whole('nn.IndexLinear', 'inputSize', inputSize, { min = 1 })
  outputSize = check.whole('nn.IndexLinear', 'outputSize', outputSize, { min = 1 })
  parent.__init(self)
  self.normalize = normalize and 4 or 0
  self.inputSize, self.outputSize = inputSize, outputSize
  self.weight = weight or torch.Tensor(inputSize, outputSize + self.normalize):zero()
  if bias ~= false then
    self.bias = bias or torch.Tensor(outputSize):zero()
    self.gradBias = self.bias.new(outputSize):zero()
  end
  self.doGradInput = doGradInput or false
  self.offset = (keysOffset or 1) - 1
  self.weightDecay = 0
  self.running = { keys = {}, gradWeight = {}, cumSumSizes = {}, counter = 1 }
end

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(outputSize).
-- @tparam[opt] number stdv standard deviation of the draws instead
function IndexLinear:reset(stdv)
  local bound = boundOf(self, stdv, 1 / math.sqrt(self.outputSize))
  self.weight:uniform(-bound, bound)
  if self.bias then self.bias:uniform(-bound, bound) end
  if self.normalize > 0 then self.weight:narrow(2, 1, self.normalize):zero() end
end

function IndexLinear:updateOutput(input)
  local positions, values, owners, count = gathered(self, input)
  values = normalized(self, positions, values)
  local rows = self.weight:index(1, positions):narrow(2, self.normalize + 1, self.outputSize)
  local sums = self.output:resize(count or 1, self.outputSize):copy(startOf(self, count))
  sums:indexAdd(1, owners, torch.cmul(rows, values:view(-1, 1):expandAs(rows)))
  if not count then self.output:resize(self.outputSize) end
  return self.output
end

local function rowsOf(gradOutput)
  return gradOutput:dim() == 1 and gradOutput:contiguous():view(1, -1) or gradOutput
end

--- With doGradInput, returns the gradient for every position from 1 to `inputSize`, including those with value 0: {positions, gradients}
-- for a sample, {{positions, ...}, {gradients, ...}} for a table of samples, and both as (N, inputSize) for concatenated samples.
-- Otherwise returns an empty table.
function IndexLinear:updateGradInput(input, gradOutput)
  self.gradInput = {}
  if not self.doGradInput then return self.gradInput end
  local dense = torch.mm(rowsOf(gradOutput), self.weight:narrow(2, self.normalize + 1, self.outputSize):t())
  local count, size = dense:size(1), self.inputSize
  if self.normalize > 0 then dense:cmul(self.weight:select(2, 2):contiguous():view(1, size):expand(count, size)) end
  local positions = onDeviceOf(torch.range(1, size):_as 'Long', dense):view(1, size):expand(count, size):contiguous()
  if type(input[1]) == 'table' then
    self.gradInput = { {}, {} }
    for i = 1, count do self.gradInput[1][i], self.gradInput[2][i] = positions[i], dense[i] end
  elseif input[3] then
    self.gradInput = { positions, dense }
  else
    self.gradInput = { positions[1], dense[1] }
  end
  return self.gradInput
end

function IndexLinear:accGradParameters(input, gradOutput, scale)
  scale = scale or 1
  local positions, values, owners = gathered(self, input)
  local evaluating = self.train
  self.train = false                                             -- use the maxima of the forward
  values = normalized(self, positions, values)
  self.train = evaluating
  local rows = rowsOf(gradOutput)
  local gradients = torch.cmul(rows:index(1, owners), values:view(-1, 1):expand(values:size(1), rows:size(2))):mul(scale)
  local running = self.running
  running.keys[running.counter], running.gradWeight[running.counter] = positions, gradients
  running.counter = running.counter + 1
  if self.bias then self.gradBias:add(scale, rows:sum(1):view(-1)) end
end

IndexLinear.derived = {
  updateOutput = IndexLinear.updateOutput,
  updateGradInput = IndexLinear.updateGradInput,
  accGradParameters = IndexLinear.accGradParameters,
}

-- Calls fn with the positions and gradients of each call of accGradParameters since the gradients were zeroed.
local function eachGradient(self, fn)
  for i = 1, self.running.counter - 1 do fn(self.running.keys[i], self.running.gradWeight[i]) end
end

function IndexLinear:updateParameters(lr)
  assert(type(lr) == 'number', 'nn.IndexLinear: lr: expected a rate')
  local weight = self.weight:narrow(2, self.normalize + 1, self.outputSize)
  eachGradient(self, function(positions, gradients)
    if self.weightDecay ~= 0 then
      local rows = weight:index(1, positions)
      weight:indexCopy(1, positions, rows:mul(1 - lr * self.weightDecay))
    end
    weight:indexAdd(1, positions, torch.mul(gradients, -lr))
  end)
  if self.bias then self.bias:add(-lr, self.gradBias) end
end

function IndexLinear:zeroGradParameters()
  self.running = { keys = {}, gradWeight = {}, cumSumSizes = {}, counter = 1 }
  if self.bias then self.gradBias:zero() end
end

--- @return the weight and the bias, and their gradients; that of the weight is computed from the stored positions
function IndexLinear:parameters()
  local gradWeight = self.weight:clone():zero()
  local part = gradWeight:narrow(2, self.normalize + 1, self.outputSize)
  eachGradient(self, function(positions, gradients) part:indexAdd(1, positions, gradients) end)
  return { self.weight, self.bias }, { gradWeight, self.gradBias }
end

function IndexLinear:accUpdateGradParameters(input, gradOutput, lr)
  local running, gradBias = self.running, self.gradBias
  self.gradBias = gradBias and gradBias:clone()
  self:zeroGradParameters()
  self:accGradParameters(input, gradOutput, 1)
  self:updateParameters(lr)
  self.running, self.gradBias = running, gradBias
end

IndexLinear.sharedAccUpdateGradParameters = IndexLinear.accUpdateGradParameters

--- Also frees the gradients.
function IndexLinear:clearState()
  self.running = { keys = {}, gradWeight = {}, cumSumSizes = {}, counter = 1 }
  return parent.clearState(self)
end

--- Removes the bias.
-- @treturn nn.IndexLinear self
IndexLinear.noBias = require 'nn.support.no_bias'

return IndexLinear
