--- Muon: momentum whose direction, a matrix, is replaced by the nearest orthogonal one, approximately. For matrices of hidden layers; other
-- parameters need another algorithm.
-- m = momentum m + (1 - momentum) g; d = m, or momentum m + (1 - momentum) g with `nesterov`; d = d / max(|d|, epsilon), then `iterations`
-- times d = (a + b D + c D^2) d, D = d d'; x = (1 - learningRate weightDecay) x - learningRate s d. The factor s by `adjust`: 'original':
-- sqrt(max(1, rows / columns)); 'rmsOfAdamW': 0.2 sqrt(max(rows, columns)), for rates of AdamW; 'spectral': sqrt(rows / columns). Products
-- have the parameter's type.
-- Source: Jordan et al. (2024), "Muon: An optimizer for hidden layers in neural networks"; Liu et al. (2025), "Muon is Scalable for LLM
-- Training", arXiv:2502.16982, for 'rmsOfAdamW'.
-- Options: `learningRate` (1e-3), `weightDecay` (0.1), `momentum` (0.95), `nesterov` (true), `coefficients` ({ 3.4445, -4.775, 2.0315 }:
-- a, b and c), `epsilon` (1e-7), `iterations` (5), `adjust` ('original'). state: `evalCounter`, `m`.
-- @module optim.muon
local torch, check = require 'torch', require 'torch.check'

-- Returns the orthogonal factor of a matrix, a new one. The matrix is wide: then d d' is the smaller product.
local function orthogonal(direction, options)
  local isTall = direction:size(1) > direction:size(2)
  local d = isTall and direction:t() or direction
  d = torch.div(d, math.max(torch.norm(d), options.epsilon))
  local a, b, c = unpack(options.coefficients)
  for _ = 1, options.iterations do
    local gram = torch.mm(d, d:t())
    local update = torch.mul(gram, b):addmm(c, gram, gram)
    d = torch.mul(d, a):addmm(1, update, d)
  end
  return isTall and d:t() or d
end

local adjustments = {
  original = function(rows, columns) return math.sqrt(math.max(1, rows / columns)) end,
  rmsOfAdamW = function(rows, columns) return 0.2 * math.sqrt(math.max(rows, columns)) end,
  spectral = function(rows, columns) return math.sqrt(rows / columns) end,
}

local function areCoefficients(value)
  if type(value) ~= 'table' or #value ~= 3 then return false end
  for _, each in ipairs(value) do
    if type(each) ~= 'number' then return false end
  end
  return true
end

return require 'optim.algorithm' {
  name = 'optim.muon', class = 'Muon', counter = 'evalCounter', buffers = { 'm' }, decay = 'decoupled',
  defaults = {
    learningRate = 1e-3, weightDecay = 0.1, momentum = 0.95, nesterov = true, coefficients = { 3.4445, -4.775, 2.0315 }, epsilon = 1e-7,
    iterations = 5, adjust = 'original',
  },
  values = {
    coefficients = function(where, value) check.that(areCoefficients(value), where .. ': expected a list of three numbers') end,
    adjust = function(where, value)
      check.that(adjustments[value], ("%s: %s, expected 'original', 'rmsOfAdamW' or 'spectral'"):format(where, tostring(value)))
    end,
  },
  verify = function(where, options)
    check.int(where, 'iterations', options.iterations, { min = 0, max = 99 })
  end,
  verifyParameter = function(where, x)
    if x:dim() == 2 then return end
    check.raise(('%s: parameters: a tensor of %d dimensions, expected matrices; others need another optimiser'):format(where, x:dim()))
  end,
  rate = function(options) return options.learningRate end,
  step = function(x, gradient, rate, options, m)
    local momentum = options.momentum
    m:mul(momentum):add(1 - momentum, gradient)
    local direction = options.nesterov and torch.mul(gradient, 1 - momentum):add(momentum, m) or m
    if x:nElement() == 0 then return end
    x:add(-rate * adjustments[options.adjust](x:size(1), x:size(2)), orthogonal(direction, options))
  end,
}
