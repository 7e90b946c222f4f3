--- Torch7's functions of the Wishart distribution of D x D precision matrices, with mean ndof * scale: `rnd(ndof, ndim [, scale])`, `pdf`
-- and `logpdf` of (X, ndof, scale), `entropy(ndof, scale)`, and `kl(q, p)` of tables.
-- @module distributions.torch7.wishart
local torch = require 'torch'
local check = require 'torch.check'
local definite = require 'distributions.torch7.definite'

local wishart = {}
local build = definite.wishart

--- Draws a matrix.
-- @number ndof above ndim - 1
-- @int ndim rows of the matrix
-- @tparam[opt] torch.Tensor scale, the identity if missing
-- @treturn torch.Tensor
function wishart.rnd(ndof, ndim, scale)
  local where = 'distributions.wishart.rnd'
  check.int(where, 'ndim', ndim, { min = 1, max = 100000 })
  if scale == nil then scale = torch.eye(ndim) end
  local d = build(where, ndof, scale)
  if d.eventShape[1] ~= ndim then
    check.raise(('%s: scale: %d rows, expected %d'):format(where, d.eventShape[1], ndim), 'shape')
  end
  return d:sample():view(ndim, ndim)
end

local function logDensity(where, x, ndof, scale)
  local d = build(where, ndof, scale)
  definite.lower(where, 'X', x)
  if x:size(1) ~= d.eventShape[1] then
    check.raise(('%s: X: %d rows, expected %d'):format(where, x:size(1), d.eventShape[1]), 'shape')
  end
  return d:logProb(x:double())[1]
end

--- The logarithm of the density.
-- @tparam torch.Tensor x positive definite
-- @number ndof
-- @tparam torch.Tensor scale
-- @treturn number
function wishart.logpdf(x, ndof, scale) return logDensity('distributions.wishart.logpdf', x, ndof, scale) end

--- The density.
-- @tparam torch.Tensor x positive definite
-- @number ndof
-- @tparam torch.Tensor scale
-- @treturn number
function wishart.pdf(x, ndof, scale) return math.exp(logDensity('distributions.wishart.pdf', x, ndof, scale)) end

--- The entropy.
-- @number ndof
-- @tparam torch.Tensor scale
-- @treturn number nats
function wishart.entropy(ndof, scale) return build('distributions.wishart.entropy', ndof, scale):entropy()[1] end

--- The divergence of p from q.
-- @tparam table q `ndof` and `scale`
-- @tparam table p `ndof`, and `scale` or its inverse, `inverseScale`
-- @treturn number nats
function wishart.kl(q, p)
  local where = 'distributions.wishart.kl'
  check.table(where, 'q', q)
  check.table(where, 'p', p)
  local scale = p.inverseScale and definite.inverse(where, 'inverseScale', p.inverseScale) or p.scale
  local first, second = build(where, q.ndof, q.scale), build(where, p.ndof, scale)
  local n = first.eventShape[1]
  if second.eventShape[1] ~= n then check.raise(('%s: p: %d rows, expected %d'):format(where, second.eventShape[1], n), 'shape') end
  local ratio = torch.mm(torch.inverse(second.scaleTril), first.scaleTril)
  local logs = second:_logScale()[1] - first:_logScale()[1]      -- half of the difference of the scales' determinants
  local function logGamma(ndof) return torch.mvlgamma(torch.DoubleTensor { ndof / 2 }, n)[1] end
  return p.ndof * logs + logGamma(p.ndof) - logGamma(q.ndof) + (q.ndof - p.ndof) / 2 * first:_digamma()[1]
    + q.ndof / 2 * (torch.sum(torch.square(ratio)) - n)
end

return wishart
