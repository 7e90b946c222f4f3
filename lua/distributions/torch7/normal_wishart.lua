--- Torch7's functions of the normal-Wishart distribution of means and precisions: the precision has the Wishart distribution of (ndof,
-- scale), the mean is normal around loc with the precision times beta. `rnd(loc, beta, scale, ndof)`, `pdf` and `logpdf` of (mean,
-- precision, loc, beta, scale, ndof), `entropy(loc, beta, scale, ndof)`, and `kl(q, p)` of tables.
-- @module distributions.torch7.normal_wishart
local torch = require 'torch'
local check = require 'torch.check'
local definite, wishart = require 'distributions.torch7.definite', require 'distributions.torch7.wishart'

local nw = {}

-- A vector, as a matrix of one row.
local function row(where, name, x, d)
  check.tensor(where, name, x)
  check.that(x:nElement() == d, ('%s: %s: %d elements, expected %d'):format(where, name, x:nElement(), d), 'shape')
  return x:double():contiguous():view(1, d)
end

local function verify(where, loc, beta, scale)
  local d = definite.lower(where, 'scale', scale):size(1)
  if type(beta) ~= 'number' or not (beta > 0) then
    check.raise(('%s: beta: %s, expected a number above 0'):format(where, tostring(beta)), 'range')
  end
  return row(where, 'loc', loc, d), d
end

--- Draws a mean and a precision.
-- @tparam torch.Tensor loc D numbers
-- @number beta above 0
-- @tparam torch.Tensor scale D x D
-- @number ndof above D - 1
-- @treturn torch.Tensor D
-- @treturn torch.Tensor D x D
function nw.rnd(loc, beta, scale, ndof)
  local where = 'distributions.nw.rnd'
  local center, d = verify(where, loc, beta, scale)
  local precision = wishart.rnd(ndof, d, scale)
  local noise = torch.mm(torch.DoubleTensor(1, d):normal(), torch.inverse(torch.cholesky(precision)))
  return (center + noise / math.sqrt(beta)):view(d), precision
end

local function logDensity(where, mean, precision, loc, beta, scale, ndof)
  local center, d = verify(where, loc, beta, scale)
  local off = row(where, 'mean', mean, d) - center
  local lower = definite.lower(where, 'precision', precision)
  local logarithm = wishart.logpdf(precision, ndof, scale)
  local distance = torch.sum(torch.square(torch.mm(off, lower)))
  return logarithm + 0.5 * (d * math.log(beta / (2 * math.pi)) - beta * distance) + torch.sum(torch.log(torch.diag(lower)))
end

--- The logarithm of the density.
-- @tparam torch.Tensor mean D numbers
-- @tparam torch.Tensor precision D x D
-- @tparam torch.Tensor loc D numbers
-- @number beta
-- @tparam torch.Tensor scale D x D
-- @number ndof
-- @treturn number
function nw.logpdf(mean, precision, loc, beta, scale, ndof)
  return logDensity('distributions.nw.logpdf', mean, precision, loc, beta, scale, ndof)
end

--- The density, with the arguments of `logpdf`.
-- @tparam torch.Tensor mean
-- @tparam torch.Tensor precision
-- @tparam torch.Tensor loc
-- @number beta
-- @tparam torch.Tensor scale
-- @number ndof
-- @treturn number
function nw.pdf(mean, precision, loc, beta, scale, ndof)
  return math.exp(logDensity('distributions.nw.pdf', mean, precision, loc, beta, scale, ndof))
end

--- The entropy.
-- @tparam torch.Tensor loc D numbers
-- @number beta
-- @tparam torch.Tensor scale D x D
-- @number ndof
-- @treturn number nats
function nw.entropy(loc, beta, scale, ndof)
  local where = 'distributions.nw.entropy'
  local _, d = verify(where, loc, beta, scale)
  local precision = definite.wishart(where, ndof, scale)
  local meanLogDet = precision:_digamma()[1] + 2 * precision:_logScale()[1]
  return precision:entropy()[1] + 0.5 * (d * (1 + math.log(2 * math.pi / beta)) - meanLogDet)
end

--- The divergence of p from q.
-- @tparam table q `loc`, `beta`, `scale` and `ndof`
-- @tparam table p the same; `inverseScale` may replace `scale`
-- @treturn number nats
function nw.kl(q, p)
  local where = 'distributions.nw.kl'
  check.table(where, 'q', q)
  check.table(where, 'p', p)
  local center, d = verify(where, q.loc, q.beta, q.scale)
  local scale = p.inverseScale and definite.inverse(where, 'inverseScale', p.inverseScale) or p.scale
  local off = center - verify(where, p.loc, p.beta, scale)
  local distance = torch.sum(torch.square(torch.mm(off, definite.lower(where, 'scale', q.scale))))
  local ratio = p.beta / q.beta
  return wishart.kl(q, { ndof = p.ndof, scale = scale }) + 0.5 * (d * (ratio - 1 - math.log(ratio)) + p.beta * q.ndof * distance)
end

return nw
