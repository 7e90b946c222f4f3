--- Torch7's functions of the Dirichlet distribution: `rnd(alpha)`, `pdf` and `logpdf` of (x, alpha), `entropy(alpha)`, and `kl(q, p)` of
-- tables with a field alpha.
-- @module distributions.torch7.dir
local torch = require 'torch'
local check = require 'torch.check'
local Dirichlet, divergence = require 'distributions.Dirichlet', require 'distributions.divergence'

local dir = {}

local function build(where, alpha)
  if type(alpha) == 'table' then alpha = torch.DoubleTensor(alpha) end
  check.tensor(where, 'alpha', alpha)
  check.that(alpha:dim() == 1, ('%s: alpha: %d dimensions, expected 1'):format(where, alpha:dim()), 'shape')
  return Dirichlet(alpha)
end

--- Draws probabilities.
-- @tparam torch.Tensor|table alpha
-- @treturn torch.Tensor
function dir.rnd(alpha) return build('distributions.dir.rnd', alpha):sample() end

--- @tparam torch.Tensor x probabilities
-- @tparam torch.Tensor alpha
-- @treturn number
function dir.logpdf(x, alpha) return build('distributions.dir.logpdf', alpha):logProb(x)[1] end

--- @tparam torch.Tensor x probabilities
-- @tparam torch.Tensor alpha
-- @treturn number
function dir.pdf(x, alpha) return math.exp(build('distributions.dir.pdf', alpha):logProb(x)[1]) end

--- @tparam torch.Tensor alpha
-- @treturn number nats
function dir.entropy(alpha) return build('distributions.dir.entropy', alpha):entropy()[1] end

--- @tparam table q
-- @tparam table p
-- @treturn number nats
function dir.kl(q, p)
  local where = 'distributions.dir.kl'
  return divergence.kl(build(where, check.table(where, 'q', q).alpha), build(where, check.table(where, 'p', p).alpha))[1]
end

return dir
