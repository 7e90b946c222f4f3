--- Declarations of criteria that compare each element of the input with that of the target: the mean of an expression of both, or, with
-- sizeAverage false, its sum.
-- @module nn.support.pairwise
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local sizesOf = require('torch.check.message').sizes

local sameSizes = C.sameSizes

local function expectCounts(name, input, target, message)
  if input:nElement() ~= check.tensor(name, 'target', target):nElement() then
    error(('%s: target: %s came, %s was expected: %s'):format(name, sizesOf(target), sizesOf(input),
      message or 'input and target have different number of elements'), 0)
  end
end

local function formulaOf(spec, message)
  local name, sum = spec.name, ('mul(sum(%s), factor)'):format(spec.terms)
  local reshaped = sum:gsub('%f[%w]target%f[%W]', 'viewAs(contiguous(target), input)')
  return function(self, input, target)
    local same = sameSizes(input, target)
    if not same then expectCounts(name, input, target, message) end
    return same and sum or reshaped, self.sizeAverage and 1 / input:nElement() or 1
  end
end

local function computeOf(spec, message)
  local name, terms = spec.name, spec.terms
  return function(self, input, target)
    expectCounts(name, input, target, message)
    local loss = torch.sum(terms(input, torch.viewAs(target:contiguous(), input), self))
    return self.sizeAverage and loss / input:nElement() or loss
  end
end

--- @tparam table spec what nn.declare takes: `name`, `samples`, and in place of a formula `terms`, what is added up: an expression of
-- `input` and `target`, or a function (input, target, criterion) of differentiable ops, for a target of the input's shape. The constructor
-- takes sizeAverage unless `options` says otherwise
-- @tparam[opt] string message what is said where element counts differ
-- @treturn table the declaration
return function(spec, message)
  spec.parent = 'nn.Criterion'
  spec.options = spec.options or { { 'sizeAverage', 'boolean', default = true, field = 'sizeAverage' } }
  if type(spec.terms) == 'string' then
    spec.formula, spec.values = formulaOf(spec, message), { 'factor' }
  else
    spec.compute = computeOf(spec, message)
  end
  spec.terms = nil
  return spec
end
