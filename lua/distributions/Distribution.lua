--- A probability distribution: the base of all classes of this package.
--
-- Fields: `batchShape`, the sizes of a batch of distributions, `eventShape`, those of one value, both lists of numbers, empty for single
-- distributions and numbers; and the parameters by name. A distribution whose parameters are all numbers is a single one. Tensors have at
-- least one dimension here, so that results of a single distribution have size 1. Parameters outside their domain, and values outside the
-- support, raise an error, unless the constructor's last argument is `{ validateArgs = false }`.
-- @usage local D = require 'distributions'
-- local d = D.Normal(torch.zeros(3), 2)
-- d:logProb(d:sample(5))      --> 5 x 3
-- @classmod distributions.Distribution
local torch = require 'torch'
local check, messages = require 'torch.check', require 'torch.check.message'
local constraints, shapes = require 'distributions.constraints', require 'distributions.shapes'
local noGrad = require('autograd.mode').noGrad

local Distribution = torch.class 'distributions.Distribution'
Distribution.hasRsample = false

local function shortName(self) return torch.typename(self) end

-- The first value that violates a constraint, for messages; nil if there is none.
local function violation(x, constraint)
  local mask = constraint:check(x)
  if torch.all(mask) then return nil end
  if constraint.eventDim > 0 then return 'a value of size ' .. messages.sizes(x) end
  local values = x:expandAs(mask):contiguous():view(-1)
  return tostring(values[torch.nonzero(torch.eq(mask, 0):view(-1))[1][1]])
end

local function verify(where, name, x, constraint)
  local wrong = noGrad(violation, x:detach(), constraint)
  if wrong then check.raise(('%s: %s: %s, expected %s'):format(where, name, wrong, constraint.text), 'range') end
end

--- @raise always: a base class has no parameters
function Distribution:__init() check.raise(shortName(self) .. ': a base class, expected a distribution such as distributions.Normal') end

local function tensorType(values)
  for i = 1, values.n do
    local x = values[i]
    if torch.isTensor(x) and x:isFloatingPoint() then return x:type() end
  end
  return torch.getdefaulttensortype()
end

-- A parameter as a tensor, and its sizes without those of one event.
local function asTensor(where, name, value, kind, dims)
  if type(value) == 'number' and dims == 0 then return torch.Tensor({ value }):type(kind), {} end
  if not torch.isTensor(value) then
    check.raise(('%s: %s: %s, expected %s'):format(where, name, messages.kind(value), dims == 0 and 'a number or a tensor' or 'a tensor'))
  end
  if not value:isFloatingPoint() then check.raise(('%s: %s: a %s, expected a tensor of floats'):format(where, name, value:type())) end
  if value:dim() < math.max(dims, 1) then
    check.raise(('%s: %s: size %s, expected %d dimensions or more'):format(where, name, messages.sizes(value), math.max(dims, 1)), 'shape')
  end
  if value:type() ~= kind then value = value:type(kind) end
  return value, shapes.part(value:size():totable(), 1, value:dim() - dims)
end

-- The table of options: the last argument, or the first one that is a table where a parameter has a default.
local function findOptions(declared, values, options)
  for i, one in ipairs(declared) do
    if one[3] ~= nil and options == nil and type(values[i]) == 'table' then options, values[i] = values[i], nil end
  end
  return options
end

-- Sets parameters of `declared`, a list { name, constraint, default }, from values, or by name from options, the constructor's last
-- argument. Sets batchShape to their common sizes.
function Distribution:_declare(declared, values, options)
  local where, names = shortName(self), { 'validateArgs' }
  for _, one in ipairs(declared) do
    if one[3] ~= nil then names[#names + 1] = one[1] end
  end
  options = check.options(where, findOptions(declared, values, options), names)
  self._validates = check.flag(where, 'validateArgs', options.validateArgs) ~= false
  values.n = #declared
  for i, one in ipairs(declared) do
    if values[i] == nil and one[3] ~= nil then values[i] = options[one[1]] == nil and one[3] or options[one[1]] end
  end
  local kind, batch = tensorType(values), {}
  self._parameters, self.eventShape = {}, {}
  for i, one in ipairs(declared) do
    local name, constraint = one[1], one[2]
    local x, sizes = asTensor(where, name, values[i], kind, constraint.eventDim)
    if self._validates then verify(where, name, x, constraint) end
    local both = shapes.broadcast(batch, sizes)
    if not both then
      check.raise(('%s: %s: size %s, expected one that broadcasts with %s'):format(where, name, shapes.text(sizes), shapes.text(batch)),
        'shape')
    end
    batch, self[name], self._parameters[i] = both, x, one
  end
  self.batchShape = batch
  self:_spread(batch)
end

-- Declares `probs` or `logits`, of which one is given: as an argument, or by name in options, which may also stand first. The class derives
-- the other.
function Distribution:_declareWeights(declared, values, probs, logits, options, kinds)
  options = findOptions(declared, values, options)
  for _, first in ipairs { 'probs', 'logits' } do
    local x = first == 'probs' and probs or logits
    if options == nil and type(x) == 'table' then
      options = x
      if first == 'probs' then probs = nil else logits = nil end
    end
  end
  local where, rest, names = shortName(self), {}, { 'probs', 'logits', 'validateArgs' }
  for _, one in ipairs(declared) do
    if one[3] ~= nil then names[#names + 1] = one[1] end
  end
  for key, value in pairs(check.options(where, options, names)) do rest[key] = value end
  probs, logits = probs or rest.probs, logits or rest.logits
  rest.probs, rest.logits = nil, nil
  if (probs == nil) == (logits == nil) then
    local actual = probs == nil and 'nil, without logits' or 'given with logits'
    check.raise(('%s: probs: %s, expected either probs or logits'):format(where, actual))
  end
  self._given = probs ~= nil and 'probs' or 'logits'
  declared[#declared + 1] = { self._given, kinds[self._given] }
  values[#declared] = probs or logits
  self:_declare(declared, values, rest)
end

-- Checks a parameter against a constraint that depends on other parameters.
function Distribution:_verify(name, constraint)
  if self._validates then verify(shortName(self), name, self[name], constraint) end
end

-- Expands the parameters to sizes of a batch.
function Distribution:_spread(batch)
  self.batchShape = batch
  for _, one in ipairs(self._parameters) do
    local x, dims = self[one[1]], one[2].eventDim
    local sizes = x:size():totable()
    local wanted = shapes.join(batch, shapes.part(sizes, #sizes - dims + 1, #sizes))
    if not shapes.equal(shapes.ofTensor(wanted), sizes) then self[one[1]] = x:expand(unpack(shapes.ofTensor(wanted))) end
  end
  if self._derive then self:_derive() end
end

--- Returns the same distributions for a larger batch.
-- @param ... sizes to which `batchShape` broadcasts: numbers, a list or a LongStorage
-- @treturn distributions.Distribution
-- @raise if batchShape doesn't broadcast to the sizes
function Distribution:expand(...)
  local where = shortName(self) .. ':expand'
  local sizes = shapes.of(where, ...)
  local common = shapes.broadcast(self.batchShape, sizes)
  if not common or not shapes.equal(common, sizes) then
    check.raise(('%s: sizes: %s, expected sizes to which %s broadcasts'):format(where, shapes.text(sizes), shapes.text(self.batchShape)),
      'shape')
  end
  local copy = setmetatable({}, getmetatable(self))
  for key, value in next, self do copy[key] = value end
  copy:_spread(sizes)
  return copy
end

-- The sizes of samples.
function Distribution:_extended(sizes) return shapes.ofTensor(shapes.join(sizes, self.batchShape, self.eventShape)) end

-- The type of the parameters.
function Distribution:_type() return self[self._parameters[1][1]]:type() end

-- A tensor of the parameters' type, for random numbers.
function Distribution:_empty(sizes) return torch.Tensor():type(self:_type()):resize(torch.LongStorage(sizes)) end

-- Makes drawn numbers differentiable by the implicit function theorem: F(x(a), a) is constant, so dx/da = -(dF/da) / density.
function Distribution:_implicit(x)
  local p = self:_cdf(x)
  if not p:isTracked() then return x end
  local density = noGrad(function() return torch.exp(self:_logProb(x)) end)
  return x - torch.cdiv(p - p:detach(), density)
end

-- A quantile x that was computed without the tape, as a differentiable function of p and the parameters: F(x(p, a), a) is p.
function Distribution:_quantile(p, x)
  local rest = p - self:_cdf(x)
  if not rest:isTracked() then return x end
  local density = noGrad(function() return torch.exp(self:_logProb(x)) end)
  return x + torch.cdiv(rest - rest:detach(), density)
end

-- Uniform random numbers between 0 and 1, both excluded.
function Distribution:_uniform(sizes)
  local x = self:_empty(sizes):uniform()
  local step = x:type() == 'torch.DoubleTensor' and 2 ^ -54 or 2 ^ -25
  return x:mul(1 - 2 * step):add(step)
end

-- Clamps numbers to the floats between 0 and 1, both excluded.
function Distribution._inside(x)
  local isDouble = x:type() == 'torch.DoubleTensor'
  return torch.clamp(x, isDouble and 1e-300 or 1e-37, 1 - (isDouble and 2 ^ -53 or 2 ^ -24))
end

-- Ops keep the first argument's sizes if both have as many elements: returns x with the right sizes.
local function sized(x, sizes)
  return shapes.equal(x:size():totable(), sizes) and x or x:contiguous():view(torch.LongStorage(sizes))
end

--- Draws values without gradients.
-- @param ... sizes in front of those of the batch: numbers, a list or a LongStorage; none for one value per distribution
-- @treturn torch.Tensor sizes, batchShape, eventShape
function Distribution:sample(...)
  local sizes = shapes.of(shortName(self) .. ':sample', ...)
  local all = self:_extended(sizes)
  return sized(noGrad(self._draw, self, all, sizes), all)
end

--- Draws values as a differentiable function of the parameters and of random numbers.
-- @param ... sizes in front of those of the batch: numbers, a list or a LongStorage
-- @treturn torch.Tensor sizes, batchShape, eventShape
-- @raise if the class has no such function: `hasRsample` is false
function Distribution:rsample(...)
  local where = shortName(self) .. ':rsample'
  if not self.hasRsample then check.raise(where .. ': a distribution without reparameterised samples, expected sample') end
  local sizes = shapes.of(where, ...)
  local all = self:_extended(sizes)
  return sized(self:_draw(all, sizes), all)
end

-- A value as a tensor of the parameters' type, checked against sizes, and against the support.
function Distribution:_value(where, x, support)
  where = shortName(self) .. ':' .. where
  if type(x) == 'number' and #self.eventShape == 0 then x = self:_empty({ 1 }):fill(x) end
  if not torch.isTensor(x) then
    check.raise(('%s: value: %s, expected a %stensor'):format(where, messages.kind(x), #self.eventShape == 0 and 'number or a ' or ''))
  end
  local kind = self:_type()
  if x:type() ~= kind then x = x:type(kind) end
  local sizes, event = x:size():totable(), self.eventShape
  local own = #sizes >= #event and shapes.part(sizes, #sizes - #event + 1, #sizes)
  if not own or not shapes.equal(own, event) or not shapes.broadcast(shapes.part(sizes, 1, #sizes - #event), self.batchShape) then
    check.raise(('%s: value: size %s, expected one that broadcasts with %s'):format(where, shapes.text(sizes),
      shapes.text(shapes.join(self.batchShape, event))), 'shape')
  end
  if self._validates then verify(where, 'value', x, support or self:support()) end
  local batch = shapes.broadcast(shapes.part(sizes, 1, #sizes - #event), self.batchShape)
  local all = shapes.ofTensor(shapes.join(batch, event))
  return shapes.equal(all, sizes) and x or x:expand(unpack(all)), shapes.ofTensor(batch)
end

--- The logarithm of the density, or of the probability of discrete values.
-- @tparam number|torch.Tensor x values of the support; sizes end with those of an event and broadcast with batchShape
-- @treturn torch.Tensor without the sizes of an event
-- @raise if a value is outside the support
function Distribution:logProb(x)
  local value, sizes = self:_value('logProb', x)
  return sized(self:_logProb(value), sizes)
end

local function undefined(self, name)
  check.raise(('%s:%s: no formula is known, expected another distribution'):format(shortName(self), name))
end

--- The probability of values up to x.
-- @tparam number|torch.Tensor x values of the support
-- @treturn torch.Tensor
-- @raise if the class has no such function
function Distribution:cdf(x)
  if not self._cdf then undefined(self, 'cdf') end
  local value, sizes = self:_value('cdf', x)
  return sized(self:_cdf(value), sizes)
end

--- The inverse of `cdf`.
-- @tparam number|torch.Tensor p probabilities
-- @treturn torch.Tensor
-- @raise if the class has no such function, or p is not between 0 and 1
function Distribution:icdf(p)
  if not self._icdf then undefined(self, 'icdf') end
  local value, sizes = self:_value('icdf', p, constraints.unitInterval)
  return sized(self:_icdf(value), sizes)
end

--- The entropy, in nats.
-- @treturn torch.Tensor batchShape
-- @raise if no formula is known
function Distribution:entropy() undefined(self, 'entropy') end

--- The exponential of the entropy.
-- @treturn torch.Tensor batchShape
function Distribution:perplexity() return torch.exp(self:entropy()) end

--- The mean; NaN or infinite where it doesn't exist.
-- @treturn torch.Tensor batchShape, eventShape
function Distribution:mean() undefined(self, 'mean') end

--- The value of the highest density or probability.
-- @treturn torch.Tensor batchShape, eventShape
function Distribution:mode() undefined(self, 'mode') end

--- The variance; NaN or infinite where it doesn't exist.
-- @treturn torch.Tensor batchShape, eventShape
function Distribution:variance() undefined(self, 'variance') end

--- The square root of the variance.
-- @treturn torch.Tensor batchShape, eventShape
function Distribution:stddev() return torch.sqrt(self:variance()) end

--- The set of possible values.
-- @treturn table a constraint (distributions.constraints)
function Distribution:support() undefined(self, 'support') end

--- All values of a discrete distribution.
-- @treturn torch.Tensor values, batchShape, eventShape
-- @raise if the distribution isn't discrete and finite
function Distribution:enumerateSupport() undefined(self, 'enumerateSupport') end

function Distribution:__tostring__()
  local parts = {}
  for _, one in ipairs(self._parameters or {}) do
    local x = self[one[1]]
    parts[#parts + 1] = ('%s: %s'):format(one[1], x:nElement() == 1 and tostring(x:contiguous():view(-1)[1]) or messages.sizes(x))
  end
  return ('%s(%s)'):format(shortName(self), table.concat(parts, ', '))
end

return Distribution
