--- Declarations of criteria that compare each element of the input with that of the target: the mean of an expression of both, or, with
-- sizeAverage false, its sum.
-- @module nn.support.pairwise
local check, C = require 'torch.check', require 'libmoontorch'
local sizesOf = require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'

local sameSizes = C.sameSizes

local function expectCounts(name, input, target, message)
  if input:nElement() ~= check.tensor(name, 'target', target):nElement() then
    refuse.shape(('%s: target: %s came, %s was expected: %s'):format(name, sizesOf(target), sizesOf(input),
      message or 'input and target have different number of elements'))
  end
end

-- Formulas by their terms: for a target of the input's size, and for others, `target` being what stands for it. Their gradients, where
-- those of the terms are given, go into the declaration.
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

--- @tparam table spec what nn.declare takes: `name`, `samples`, and in place of a formula `terms`, what is added up: an expression of
-- `input`, `target`, and fields, or a function (self, input, target) that gives one of a few; nil where `otherwise` is to be called.
-- `target` may be an expression of the target that stands for it, `gradient` a table of the derivatives by the input, by terms, where the
-- rules' won't do. The constructor takes sizeAverage unless `options` says otherwise
-- @tparam[opt] string message what is said where element counts differ
-- @treturn table the declaration
return function(spec, message)
  local terms, target, gradients = spec.terms, spec.target or 'target', spec.gradient
  spec.terms, spec.target, spec.gradient = nil, nil, gradients and {}
  spec.parent = spec.parent or 'nn.Criterion'
  spec.options = spec.options or { { 'sizeAverage', 'boolean', default = true, field = 'sizeAverage' } }
  spec.formula, spec.values = formulaOf(spec, terms, formulas(spec, target, gradients), message), { 'factor' }
  return spec
end
