--- Torch7's functions of the gamma distribution, whose parameters are a table: `entropy { shape =, scale = }` (or `rate`), and `kl(q, p)`,
-- the divergence of p from q.
-- @module distributions.torch7.gamma
local check = require 'torch.check'
local Gamma, divergence = require 'distributions.Gamma', require 'distributions.divergence'

local gamma = {}

local function read(where, name, parameters)
  parameters = check.options(where .. ': ' .. name, parameters, { 'shape', 'scale', 'rate' })
  if (parameters.scale == nil) == (parameters.rate == nil) then
    check.raise(('%s: %s: scale and rate, expected one of both'):format(where, name))
  end
  return Gamma(parameters.shape, parameters.rate or 1 / parameters.scale)
end

--- @tparam table parameters
-- @treturn number nats
function gamma.entropy(parameters) return read('distributions.gamma.entropy', 'parameters', parameters):entropy()[1] end

--- @tparam table q
-- @tparam table p
-- @treturn number nats
function gamma.kl(q, p)
  return divergence.kl(read('distributions.gamma.kl', 'q', q), read('distributions.gamma.kl', 'p', p))[1]
end

return gamma
