--- A distribution whose last batch dimensions count as dimensions of one value: a log-probability is a sum over them.
-- @classmod distributions.Independent
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local check, shapes = require 'torch.check', require 'distributions.shapes'
local weights = require 'distributions.weights'
require 'distributions.Distribution'

local Independent = torch.class('distributions.Independent', 'distributions.Distribution')

--- @tparam distributions.Distribution base
-- @int dims number of batch dimensions that become part of the event, up to all
-- @raise if base has fewer dimensions
function Independent:__init(base, dims)
  local where = 'distributions.Independent'
  check.that(torch.isTypeOf(base, 'distributions.Distribution'),
    ('%s: base: a %s, expected a distribution'):format(where, torch.type(base)))
  check.int(where, 'dims', dims, { min = 0, max = #base.batchShape })
  self.base, self.dims, self._parameters, self._validates = base, dims, {}, base._validates
  self.hasRsample = base.hasRsample
  self:_split()
end

function Independent:_split()
  local batch, dims = self.base.batchShape, self.dims
  self.batchShape = shapes.part(batch, 1, #batch - dims)
  self.eventShape = shapes.join(shapes.part(batch, #batch - dims + 1, #batch), self.base.eventShape)
end

function Independent:_spread(batch)
  self.base = self.base:expand(shapes.join(batch, shapes.part(self.eventShape, 1, self.dims)))
  self:_split()
end

function Independent:_type() return self.base:_type() end

function Independent:_draw(sizes, lead) return self.base:_draw(sizes, lead) end
function Independent:_logProb(x) return weights.sumLast(self.base:_logProb(x), self.dims) end
function Independent:entropy() return weights.sumLast(self.base:entropy(), self.dims) end
function Independent:mean() return self.base:mean() end
function Independent:mode() return self.base:mode() end
function Independent:variance() return self.base:variance() end
function Independent:support() return constraints.independent(self.base:support(), self.dims) end

return Independent
