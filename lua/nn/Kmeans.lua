--- The nearest of k learnt centres for each row, and the sum of the squared distances as a loss.
-- Shapes: x (N, dim) -> (N) positions of centres.
-- @classmod nn.Kmeans
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local explain = require 'nn.support.explain'
local nearness = require 'nn.support.distances'
local boundOf = require 'nn.support.bound'
local refuse = require 'torch.check.refuse'

local Kmeans, parent = torch.class('nn.Kmeans', 'nn.Module')

--- @tparam int k number of centres
-- @tparam int dim
-- @tparam[opt=1] number scale factor of the gradient by the centres
function Kmeans:__init(k, dim, scale)
  parent.__init(self)
  self.k, self.dim = check.whole('nn.Kmeans', 'k', k, { min = 1 }), check.whole('nn.Kmeans', 'dim', dim, { min = 1 })
  self.scale = scale or 1
  check.that(self.scale > 0 and self.scale <= 1, 'nn.Kmeans: scale: expected a number above 0, 1 at most')
  self:declare('weight', torch.Tensor(k, dim))
  self.loss = 0
  self.clusterSampleCount = torch.Tensor(k)
  self:reset()
end

--- Draws the centres from uniform(-1, 1).
-- @tparam[opt] number stdv standard deviation of the draws instead
function Kmeans:reset(stdv)
  self:draw(boundOf(self, stdv, 1))
end

-- Returns the squared distances (N, k).
local function distances(self, input)
  if not (explain.input(self, input):dim() == 2 and input:size(2) == self.dim) then
    refuse.shape('nn.Kmeans: input: expected rows of ' .. self.dim)
  end
  assert(input:isContiguous(), 'nn.Kmeans: input: Input must be contiguous')
  local differences = nearness.differences(input, self.weight:t():contiguous())
  return torch.sum(torch.cmul(differences, differences), 2):view(input:size(1), self.k)
end

--- Sets the centres to randomly chosen rows of the input.
-- @tparam torch.Tensor input (N, dim)
function Kmeans:initRandom(input)
  local chosen = torch.randperm(explain.input(self, input):size(1)):narrow(1, 1, self.k):_as 'Long'
  self.weight:copy(input:index(1, chosen))
end

--- Sets the centres to rows of the input that are far from each other.
-- Source: Arthur & Vassilvitskii (2007), "k-means++: The Advantages of Careful Seeding", SODA; each row is drawn from the farthest ones.
-- @tparam torch.Tensor input
-- @tparam[opt=0.95] number p fraction of rows that are nearer than the candidates
function Kmeans:initKmeansPlus(input, p)
  p = p or 0.95
  if not (p >= 0 and p <= 1) then refuse.range('nn.Kmeans: p: expected 0 to 1') end
  local count = input:size(1)
  self.weight[1]:copy(input[torch.random(count)])
  local nearest
  for k = 2, self.k do
    local differences = torch.csub(input, self.weight[k - 1]:view(1, self.dim):expandAs(input))
    local squares = torch.sum(torch.cmul(differences, differences), 2):view(-1)
    nearest = nearest and torch.cmin(nearest, squares) or squares
    local _, order = torch.sort(nearest)
    local first = math.min(math.floor(count * p) + 1, count)
    self.weight[k]:copy(input[order[torch.random(first, count)]])
  end
end

function Kmeans:updateOutput(input)
  local smallest, nearest = torch.min(distances(self, input), 2)
  self.loss = torch.sum(smallest)
  self.output:resize(input:size(1)):copy(nearest:view(-1))
  return self.output
end

function Kmeans:updateGradInput(input)
  self.gradInput:resizeAs(explain.input(self, input)):zero()
  return self.gradInput
end

--- Adds scale times the mean of (centre - x) over each centre's rows.
function Kmeans:accGradParameters(input, _, scale)
  scale = self.scale * (scale or 1)
  local owner = self.output:_as 'Long'
  local ones = input.new(input:size(1)):fill(1)
  self.clusterSampleCount:resize(self.k):zero():indexAdd(1, owner, ones)
  local sums = self.weight.new(self.k, self.dim):zero():indexAdd(1, owner, torch.csub(self.weight:index(1, owner), input))
  local counts = torch.cmax(self.clusterSampleCount, 1):view(self.k, 1)
  self.gradWeight:add(scale, torch.cdiv(sums, counts:expandAs(sums)))
end

Kmeans.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return Kmeans
