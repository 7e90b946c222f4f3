--- Declarations of criteria that compare each element of the input with that of the target: the mean of an expression of both, or its sum
-- if sizeAverage is false.
-- @module nn.support.pairwise
local check, C = require 'torch.check', require 'libmoontorch'
local sizesOf = require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'

local sameSizes = C.sameSizes

local function expectCounts(name, input, target, message)
  if input:nElement() ~= check.tensor(name, 'target', target):nElement() then
    refuse.shape(('%s: target: %s, expected %s: %s'):format(name, sizesOf(target), sizesOf(input),
      message or 'input and target have different number of elements'))
  end
end

-- Returns formulas by their terms: one for a target of the input's size, and one for others; `target` is the expression for the target.
-- The gradients of the terms, if given, go into the declaration.
local function formulas(spec, target, gradients)
  local reshaped = ('viewAs(contiguous(%s), input)'):format(target)
  local function with(terms, shown) return (terms:gsub('%f[%w]target%f[%W]', shown)) end
  local function made(terms, shown)
    local text = ('mul(sum(%s), factor)'):format(with(terms, shown))
    if gradients then spec.gradient[text] = ('cmul(%s, mul(g, factor))'):format(with(gradients[terms], shown)) end
    return text
  end
  return setmetatable({}, { __index = function(known, terms)
    known[terms] = { same = made(terms, target), reshaped = made(terms, reshaped) }
    return known[terms]
  end })
end

local function formulaOf(spec, terms, known, message)
  local name, isText = spec.name, type(terms) == 'string'
  return function(self, input, target)
    local same = sameSizes(input, target)
    if not same then expectCounts(name, input, target, message) end
    local chosen = isText and terms or terms(self, input, target)
    if not chosen then return nil end
    chosen = known[chosen]
    return same and chosen.same or chosen.reshaped, self.sizeAverage and 1 / input:nElement() or 1
  end
end

--- @tparam table spec argument of nn.declare: `name`, `samples`, and, instead of a formula, `terms`, which are summed: an expression of
--   `input`, `target`, and fields, or a function (self, input, target) that returns one of a few, or nil to call `otherwise`. `target` may
--   be an expression that replaces the target; `gradient` a table of the derivatives with respect to the input, by terms, if the ops' rules
--   don't fit. The constructor has the option sizeAverage unless `options` is given
-- @tparam[opt] string message the error if element counts differ
-- @treturn table the declaration
return function(spec, message)
  local terms, target, gradients = spec.terms, spec.target or 'target', spec.gradient
  spec.terms, spec.target, spec.gradient = nil, nil, gradients and {}
  spec.parent = spec.parent or 'nn.Criterion'
  spec.options = spec.options or { { 'sizeAverage', 'boolean', default = true, field = 'sizeAverage' } }
  spec.formula, spec.values = formulaOf(spec, terms, formulas(spec, target, gradients), message), { 'factor' }
  return spec
end
