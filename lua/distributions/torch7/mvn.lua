--- Torch7's functions of the multivariate normal distribution, whose covariance is a matrix, or a vector of variances.
-- @module distributions.torch7.mvn
local torch = require 'torch'
local check = require 'torch.check'
local split = require('distributions.torch7.categories').split

local mvn = {}

-- The upper factor of a covariance: of variances a diagonal one. A singular matrix has a factor by its eigenvectors.
local function factor(where, sigma, options, maySingular)
  check.tensor(where, 'sigma', sigma)
  options = check.options(where, options, { 'cholesky' })
  sigma = sigma:double()
  if sigma:dim() == 2 and sigma:size(1) == 1 and sigma:size(2) > 1 then sigma = sigma[1] end
  if sigma:dim() == 1 then return torch.diag(options.cholesky and sigma or torch.sqrt(sigma)) end
  check.that(sigma:dim() == 2 and sigma:size(1) == sigma:size(2),
    ('%s: sigma: %s, expected variances or a square matrix'):format(where, require('torch.check.message').sizes(sigma)), 'shape')
  if options.cholesky then return sigma end
  local isDefinite, lower = pcall(torch.cholesky, sigma)
  if isDefinite then return lower:t() end
  if not maySingular then check.raise(where .. ': sigma: not positive definite, expected a positive definite matrix', 'range') end
  local values, vectors = torch.symeig(sigma, 'V')
  return torch.mm(torch.diag(torch.sqrt(torch.clamp(values, 0, math.huge))), vectors:t())
end

local function rows(where, name, x)
  check.tensor(where, name, x)
  check.that(x:dim() == 1 or x:dim() == 2, ('%s: %s: %d dimensions, expected 1 or 2'):format(where, name, x:dim()), 'shape')
  return x:dim() == 1 and x:double():view(1, -1) or x:double()
end

--- The logarithm of the density.
-- @tparam torch.Tensor x D or N x D
-- @tparam torch.Tensor mu D or N x D
-- @tparam torch.Tensor sigma covariance D x D, or D variances
-- @tparam[opt] table options `cholesky`: sigma is the covariance's upper factor, or deviations
-- @treturn number|torch.Tensor N x 1 unless x and mu have one dimension
function mvn.logpdf(x, mu, sigma, options)
  local where = 'distributions.mvn.logpdf'
  local one, two = rows(where, 'x', x), rows(where, 'mu', mu)
  local upper = factor(where, sigma, options)
  local d, n = upper:size(1), math.max(one:size(1), two:size(1))
  if one:size(2) ~= d or two:size(2) ~= d or one:size(1) ~= n and one:size(1) ~= 1 or two:size(1) ~= n and two:size(1) ~= 1 then
    check.raise(('%s: mu: inconsistent sizes for x, mu and sigma'):format(where), 'shape')
  end
  local off = one:expand(n, d) - two:expand(n, d)
  local z = torch.mm(off, torch.inverse(upper))
  local result = torch.sum(torch.square(z), 2) * -0.5 - torch.sum(torch.log(torch.abs(torch.diag(upper)))) - 0.5 * d * math.log(2 * math.pi)
  return x:dim() == 1 and mu:dim() == 1 and result[1][1] or result
end

--- The density, with the arguments of `logpdf`.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor mu
-- @tparam torch.Tensor sigma
-- @tparam[opt] table options
-- @treturn number|torch.Tensor
function mvn.pdf(x, mu, sigma, options)
  local y = mvn.logpdf(x, mu, sigma, options)
  return torch.isTensor(y) and torch.exp(y) or math.exp(y)
end

--- Draws vectors.
-- @param ... a count, or a tensor D or N x D that is filled, or neither for one vector; mu, D or N x D; sigma, a covariance D x D,
--   N x D x D, or variances D; options as in `logpdf`
-- @treturn torch.Tensor N x D; D for one vector
function mvn.rnd(...)
  local where = 'distributions.mvn.rnd'
  local first, parameters, options = split(2, ...)
  local mu, sigma = rows(where, 'mu', parameters[1]), check.tensor(where, 'sigma', parameters[2])
  local result = torch.isTensor(first) and first or nil
  local d, n = mu:size(2), mu:size(1)
  if result then n = result:dim() == 2 and result:size(1) or 1
  elseif first ~= nil then n = check.int(where, 'n', first, { min = 0 }) end
  if mu:size(1) ~= 1 and mu:size(1) ~= n or sigma:size(sigma:dim()) ~= d or sigma:dim() == 3 and sigma:size(1) ~= n
    or result and result:nElement() ~= n * d then
    check.raise(where .. ': inconsistent sizes for mu and sigma', 'shape')
  end
  local values = torch.DoubleTensor(n, d):normal()
  if n > 0 and sigma:dim() == 3 then
    for i = 1, n do values:narrow(1, i, 1):copy(torch.mm(values:narrow(1, i, 1), factor(where, sigma[i], options, true))) end
  elseif n > 0 then
    values = torch.mm(values, factor(where, sigma, options, true))
  end
  if n > 0 then values = values + mu:expand(n, d) end
  if result then return result:copy(values:viewAs(result)) end
  return first == nil and n == 1 and values[1] or values
end

--- The entropy.
-- @tparam torch.Tensor sigma covariance or variances
-- @treturn number nats
function mvn.entropy(sigma)
  local upper = factor('distributions.mvn.entropy', sigma)
  return torch.sum(torch.log(torch.diag(upper))) + 0.5 * upper:size(1) * (1 + math.log(2 * math.pi))
end

--- The divergence of p from q.
-- @tparam table q `mu` and `sigma`
-- @tparam table p `mu`, and `sigma` or its inverse, `lambda`
-- @treturn number nats
function mvn.kl(q, p)
  local where = 'distributions.mvn.kl'
  check.table(where, 'q', q)
  check.table(where, 'p', p)
  local first = factor(where, q.sigma)
  local second = factor(where, p.lambda and torch.inverse(check.tensor(where, 'lambda', p.lambda):double()) or p.sigma)
  local inverse = torch.inverse(second)
  local off = torch.mm(rows(where, 'mu', q.mu) - rows(where, 'mu', p.mu), inverse)
  local logs = torch.sum(torch.log(torch.diag(second))) - torch.sum(torch.log(torch.diag(first)))
  return logs + 0.5 * (torch.sum(torch.square(torch.mm(first, inverse))) + torch.sum(torch.square(off)) - first:size(1))
end

return mvn
