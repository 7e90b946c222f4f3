--- Transforms from unconstrained numbers to the values of a constraint: D.bijectTo and D.transformTo.
-- @module distributions.mapping
local torch = require 'torch'
local check, constraints = require 'torch.check', require 'distributions.constraints'

local mapping = {}

local function new(name, ...) return require('distributions.' .. name)(...) end

-- Constraint -> function that creates the transform; by kind for constraints with bounds.
local function both(bijective)
  local function find(constraint)
    local kind = constraint.kind
    if constraint == constraints.real then return new('ComposeTransform', {}) end
    if constraint == constraints.simplex then return new(bijective and 'StickBreakingTransform' or 'SoftmaxTransform') end
    if constraint == constraints.lowerCholesky then return new 'LowerCholeskyTransform' end
    if constraint == constraints.positiveDefinite then return new 'PositiveDefiniteTransform' end
    if constraint == constraints.corrCholesky then return new 'CorrCholeskyTransform' end
    if constraint == constraints.positive or constraint == constraints.nonnegative then return new 'ExpTransform' end
    if constraint == constraints.unitInterval then return new 'SigmoidTransform' end
    if kind == 'greaterThan' then return new('ComposeTransform', { new 'ExpTransform', new('AffineTransform', constraint.low, 1) }) end
    if kind == 'lessThan' then return new('ComposeTransform', { new 'ExpTransform', new('AffineTransform', constraint.high, -1) }) end
    if kind == 'interval' then
      return new('ComposeTransform', { new 'SigmoidTransform', new('AffineTransform', constraint.low, constraint.high - constraint.low) })
    end
    if kind == 'independent' then
      local base = find(constraint.base)
      return base and new('IndependentTransform', base, constraint.dims)
    end
  end
  return find
end

local function checked(where, find)
  return function(constraint)
    check.that(constraints.isConstraint(constraint), ('%s: constraint: a %s, expected a constraint'):format(where, torch.type(constraint)))
    local found = find(constraint)
    if not found then check.raise(('%s: constraint: %s, expected a constraint with a transform'):format(where, constraint.text)) end
    return found
  end
end

local biject, transform = checked('bijectTo', both(true)), checked('transformTo', both(false))

--- A bijection from real numbers to the values of a constraint.
-- @tparam table constraint
-- @treturn distributions.Transform
-- @raise if there is none
function mapping.bijectTo(constraint) return biject(constraint) end

--- A map from real numbers to the values of a constraint, not always bijective: softmax for probabilities.
-- @tparam table constraint
-- @treturn distributions.Transform
-- @raise if there is none
function mapping.transformTo(constraint) return transform(constraint) end

return mapping
