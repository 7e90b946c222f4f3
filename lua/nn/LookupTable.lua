--- Rows of a learnt matrix, by their positions.
-- Shapes: positions (T) -> (T, nOutput), (N, T) -> (N, T, nOutput); a tensor of any type, counted from 1.
-- @classmod nn.LookupTable
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local nn = require 'nn'
local explain, lookup = require 'nn.support.explain', require 'nn.support.lookup'
local refuse = require 'torch.check.refuse'

local function checkDims(input)
  local dims = input:dim()
  if dims ~= 1 and dims ~= 2 then
    refuse.shape(('nn.LookupTable: input: %d dimensions, input must be a vector or matrix'):format(dims))
  end
end

-- Returns the positions as a vector in a reusable field.
local function placed(self, input)
  checkDims(input)
  local rows = self._input
  local usual = torch.isTensor(rows) and C.dtypeOf(rows) == 'Long' and rows:device() == input:device()
  if not usual then
    rows = input.new():_as 'Long'
    self._input = rows
  end
  return rows:resize(input:nElement()):copy(input)
end

local function renorm(self, rows) lookup.renorm(self.weight, rows, self.maxNorm, self.normType or 2) end

local function shares(self, rows) return lookup.shares(self.weight, rows, self.paddingValue, self.shouldScaleGradByFreq) end

local function isPlain(self)
  return (self.paddingValue or 0) == 0 and not self.shouldScaleGradByFreq      -- old files lack these fields
end

local LookupTable, parent = nn.declare {
  name = 'nn.LookupTable',
  parameters = { { 'weight' } },
  formula = 'index(weight, 1, _input)',
  prepare = function(self, input)
    local rows = placed(self, input)
    if self.maxNorm then torch.noGrad(renorm, self, rows) end
  end,
  widens = false,
  compute = function(self, input)
    checkDims(input)
    local rows = input:detach():_as 'Long':contiguous():view(-1)
    if self.maxNorm then torch.noGrad(renorm, self, rows) end
    local padding = (self.paddingValue or 0) > 0 and self.paddingValue
    local used = lookup.rows(self.weight, rows, { padding = padding, byFrequency = self.shouldScaleGradByFreq, sparse = self.sparse })
    if input:dim() == 1 then return used end
    return torch.view(used, input:size(1), input:size(2), self.weight:size(2))
  end,
  transient = { '_input' },
}

LookupTable.__version = 4

--- @tparam int nIndex number of rows
-- @tparam int nOutput their length
-- @tparam[opt=0] int paddingValue a row without gradient; 0 for none
-- @tparam[opt] number maxNorm used rows with a larger norm are scaled to this norm, in `weight`
-- @tparam[opt=2] number normType of maxNorm
-- @tparam[opt=false] boolean sparse the gradient that the tape leaves in `weight.grad` has the rows that were used alone: an
--   torch.RowGradient, for optim.SparseAdam, SGD and Adagrad. gradWeight of Torch7's protocol stays dense
function LookupTable:__init(nIndex, nOutput, paddingValue, maxNorm, normType, sparse)
  nIndex = check.whole(torch.type(self), 'nIndex', nIndex, { min = 1 })
  nOutput = check.whole(torch.type(self), 'nOutput', nOutput, { min = 1 })
  parent.__init(self)
  self:declare('weight', torch.Tensor(nIndex, nOutput))
  self.paddingValue = paddingValue or 0
  self.maxNorm = maxNorm
  self.normType = normType
  self.sparse = sparse ~= nil and check.flag(torch.type(self), 'sparse', sparse) or nil
  self:reset()
end

--- From now on, divides each row's gradient by the number of its uses in the batch.
-- @treturn nn.LookupTable self
function LookupTable:scaleGradByFreq()
  self.shouldScaleGradByFreq = true
  return self
end

--- Sets the row without gradient; 0 for none.
-- @tparam int paddingValue
-- @treturn nn.LookupTable self
function LookupTable:setPadding(paddingValue)
  self.paddingValue = paddingValue
  return self
end

--- Limits the norm of the rows that are used; nil for no limit.
-- @tparam ?number maxNorm
-- @treturn nn.LookupTable self
function LookupTable:setMaxNorm(maxNorm)
  self.maxNorm = maxNorm
  return self
end

--- Sets the norm that is limited; 2 by default.
-- @tparam ?number normType
-- @treturn nn.LookupTable self
function LookupTable:setNormType(normType)
  self.normType = normType
  return self
end

--- Frees gradWeight: from then on, only accUpdateGradParameters can change the rows.
-- @treturn nn.LookupTable self
function LookupTable:accUpdateOnly()
  self.gradWeight = nil
  return self
end

--- Draws the weight from normal(0, stdv).
-- @tparam[opt=1] number stdv
function LookupTable:reset(stdv)
  torch.noGrad(self.weight.normal, self.weight, 0, stdv or 1)
end

local derived = { updateOutput = LookupTable.updateOutput, accGradParameters = LookupTable.accGradParameters }

function LookupTable:updateOutput(input)
  local output = derived.updateOutput(self, input)
  if input:dim() == 2 and output:dim() == 2 then output:resize(input:size(1), input:size(2), output:size(2)) end
  return output
end

--- @return zeros, of the input's type and size
function LookupTable:updateGradInput(input)
  if not self.gradInput then return nil end
  if not C.sameKind(self.gradInput, explain.input(self, input)) then self.gradInput = input.new() end
  return self.gradInput:resizeAs(input):zero()
end

-- Writes only to rows that were used: a table may have many more.
function LookupTable:accGradParameters(input, gradOutput, scale)
  if not self.gradWeight then return end
  check.tensor('nn.LookupTable', 'gradOutput', gradOutput)
  local rows = placed(self, explain.input(self, input))
  if isPlain(self) then return derived.accGradParameters(self, input, gradOutput, scale) end
  local gradients = gradOutput:contiguous():view(rows:nElement(), self.gradWeight:size(2))
  if scale and scale ~= 1 then gradients = torch.mul(gradients, scale) end
  torch.noGrad(self.gradWeight.indexAdd, self.gradWeight, 1, rows, torch.cmul(gradients, shares(self, rows)))
end

for _, name in ipairs { 'updateOutput', 'updateGradInput', 'accGradParameters' } do LookupTable.derived[name] = LookupTable[name] end

-- The gradient does not depend on the weights, so the update may change them during accumulation.
LookupTable.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters

return LookupTable
