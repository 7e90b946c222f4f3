--- nn.MSECriterion whose targets are the corners of a regular simplex on the unit sphere, one per class.
-- The conditions |v| = 1 and <v, w> = -1 / (n - 1) for all pairs determine the corners.
-- Shapes: input (N, nClasses), target (N) classes.
-- @classmod nn.ClassSimplexCriterion
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local onDeviceOf = require 'autograd.on_device_of'
local nn = require 'nn'
local expectClasses = require 'nn.support.classRange'

-- Returns corner i in row i; the last column is 0. Coordinate k of corner k is such that its length is 1; coordinate k of later corners is
-- such that their products with corner k are as required.
local function corners(count)
  local simplex = torch.zeros(count, count)
  for k = 1, count - 1 do
    local before = k > 1 and simplex[{ k, { 1, k - 1 } }]:dot(simplex[{ k, { 1, k - 1 } }]) or 0
    local own = math.sqrt(1 - before)
    simplex[k][k] = own
    for i = k + 1, count do
      local shared = k > 1 and simplex[{ k, { 1, k - 1 } }]:dot(simplex[{ i, { 1, k - 1 } }]) or 0
      simplex[i][k] = (-1 / (count - 1) - shared) / own
    end
  end
  return simplex
end

local function isList(target) return torch.isTensor(target) and C.dtypeOf(target) == 'Long' and target:dim() == 1 end

local ClassSimplexCriterion, parent = nn.declare {
  name = 'nn.ClassSimplexCriterion', parent = 'nn.MSECriterion',
  formula = function(self, input, target)
    if not isList(target) or input:nElement() ~= target:nElement() * self.nClasses then return nil end
    return 'mul(sum(square(csub(input, viewAs(index(simplex, 1, target), input)))), factor)', self.sizeAverage and 1 / input:nElement() or 1
  end,
  values = { 'factor' },
  otherwise = function(self, input, target)
    if type(target) == 'number' then target = onDeviceOf(torch.LongTensor { target }, input) end
    return nn.MSECriterion.compute(self, input, self.simplex:index(1, target:_as 'Long':view(-1)))
  end,
  accepts = function(self, _, target)
    if type(target) == 'number' then target = torch.LongTensor { target } end
    expectClasses('nn.ClassSimplexCriterion', target, 1, self.nClasses)
  end,
  samples = { { 'ClassSimplexCriterion(3)', { 4, 3 }, 'torch.LongTensor { 3, 1, 2, 3 }' } },
}

--- @tparam int nClasses above 1
function ClassSimplexCriterion:__init(nClasses)
  parent.__init(self)
  check.that(type(nClasses) == 'number' and nClasses > 1 and nClasses % 1 == 0,
    ('nn.ClassSimplexCriterion: nClasses: %s: Required positive integer argument nClasses > 1'):format(tostring(nClasses)))
  self.nClasses = nClasses
  self.simplex = corners(nClasses)
end

--- Returns the dot products of each row with each corner.
-- @tparam torch.Tensor input (N, nClasses)
-- @treturn torch.Tensor (N, nClasses)
function ClassSimplexCriterion:getPredictions(input)
  check.tensor('nn.ClassSimplexCriterion', 'input', input)
  return torch.mm(input:dim() == 1 and input:view(1, -1) or input, self.simplex:t())
end

--- Returns the class with the nearest corner, for each row.
-- @tparam torch.Tensor input (N, nClasses)
-- @treturn torch.LongTensor (N)
function ClassSimplexCriterion:getTopPrediction(input)
  local _, classes = self:getPredictions(input):max(2)
  return classes:view(-1)
end

return ClassSimplexCriterion
