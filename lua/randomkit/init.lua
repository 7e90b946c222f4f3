--- NumPy's samplers on torch's generator, by the names of Torch7's package randomkit: after torch.manualSeed(n) the values are those of
-- numpy.random.RandomState(n).
--
-- f(parameters) with numbers returns a number; a tensor as a parameter gives a new tensor of one dimension; f(result, parameters) fills a
-- contiguous tensor. Parameters outside their domain give NaN. Loading the package wraps `torch.manualSeed`, `torch.getRNGState` and
-- `torch.setRNGState`, since a normal number is kept for the next call.
-- @module randomkit
-- @usage local randomkit = require 'randomkit'
-- torch.manualSeed(1)
-- local counts = randomkit.poisson(torch.Tensor(1000), 5)
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch = require 'torch'
local mapped, check = require 'torch.mapped', require 'torch.check'
local source, continuous, discrete = require 'randomkit.source', require 'randomkit.continuous', require 'randomkit.discrete'

local randomkit = {}
package.loaded.randomkit = randomkit
rawset(_G, 'randomkit', randomkit)

local function sampler(name, names, f, kind) return mapped('randomkit', name, names, f or continuous[name] or discrete[name], kind) end

local function ulong()
  local high = source.bits()
  return high * 4294967296 + source.bits()
end
local function long() return math.floor(ulong() / 2) end

--- A double in [0, 1) with 53 random bits.
randomkit.double = sampler('double', {}, source.double)

--- The same as `double`.
randomkit.random_sample = sampler('random_sample', {}, source.double)

--- A standard normal number.
randomkit.gauss = sampler('gauss', {}, source.gauss)

--- The same as `gauss`.
randomkit.standard_normal = sampler('standard_normal', {}, source.gauss)

--- A whole number of 32 random bits.
randomkit.random = sampler('random', {}, source.bits)

--- A whole number of 64 random bits, of which a double holds the first 53.
randomkit.ulong = sampler('ulong', {}, ulong)

--- A whole number of 63 random bits.
randomkit.long = sampler('long', {}, long)

--- Exponential, mean 1.
randomkit.standard_exponential = sampler('standard_exponential', {})

--- Cauchy, median 0 and scale 1.
randomkit.standard_cauchy = sampler('standard_cauchy', {})

--- Exponential: f([result,] scale), the mean.
randomkit.exponential = sampler('exponential', { 'scale' })

--- Gamma with scale 1: f([result,] shape).
randomkit.standard_gamma = sampler('standard_gamma', { 'shape' })

--- Chi-square: f([result,] df).
randomkit.chisquare = sampler('chisquare', { 'df' })

--- Student's t: f([result,] df).
randomkit.standard_t = sampler('standard_t', { 'df' })

--- Poisson: f([result,] lam), the mean.
randomkit.poisson = sampler('poisson', { 'lam' })

--- Pareto, less 1: f([result,] a).
randomkit.pareto = sampler('pareto', { 'a' })

--- Weibull with scale 1: f([result,] a).
randomkit.weibull = sampler('weibull', { 'a' })

--- Density a x^(a - 1) between 0 and 1: f([result,] a).
randomkit.power = sampler('power', { 'a' })

--- Rayleigh: f([result,] mode).
randomkit.rayleigh = sampler('rayleigh', { 'mode' })

--- Zipf's distribution, probability proportional to k^-a: f([result,] a), a above 1.
randomkit.zipf = sampler('zipf', { 'a' })

--- Number of trials up to the first success: f([result,] p).
randomkit.geometric = sampler('geometric', { 'p' })

--- Probability proportional to p^k / k: f([result,] p).
randomkit.logseries = sampler('logseries', { 'p' })

--- Whole numbers in 0..max: f([result,] max).
randomkit.interval = sampler('interval', { 'max' })

--- Normal: f([result,] loc, scale).
randomkit.normal = sampler('normal', { 'loc', 'scale' })

--- Laplace: f([result,] loc, scale).
randomkit.laplace = sampler('laplace', { 'loc', 'scale' })

--- Gumbel: f([result,] loc, scale).
randomkit.gumbel = sampler('gumbel', { 'loc', 'scale' })

--- Logistic: f([result,] loc, scale).
randomkit.logistic = sampler('logistic', { 'loc', 'scale' })

--- Exponential of a normal number: f([result,] mean, sigma).
randomkit.lognormal = sampler('lognormal', { 'mean', 'sigma' })

--- Gamma: f([result,] shape, scale).
randomkit.gamma = sampler('gamma', { 'shape', 'scale' })

--- Beta: f([result,] a, b).
randomkit.beta = sampler('beta', { 'a', 'b' })

--- Uniform in low..high: f([result,] low, high).
randomkit.uniform = sampler('uniform', { 'low', 'high' })

--- Whole numbers in low..high, both included; new results are IntTensors: f([result,] low, high).
randomkit.randint = sampler('randint', { 'low', 'high' }, nil, 'torch.IntTensor')

--- Successes in n trials: f([result,] n, p).
randomkit.binomial = sampler('binomial', { 'n', 'p' })

--- Failures before n successes: f([result,] n, p).
randomkit.negative_binomial = sampler('negative_binomial', { 'n', 'p' })

--- Fisher's F: f([result,] dfnum, dfden).
randomkit.f = sampler('f', { 'dfnum', 'dfden' })

--- Noncentral chi-square: f([result,] df, nonc).
randomkit.noncentral_chisquare = sampler('noncentral_chisquare', { 'df', 'nonc' })

--- Von Mises: f([result,] mu, kappa).
randomkit.vonmises = sampler('vonmises', { 'mu', 'kappa' })

--- Inverse normal: f([result,] mean, scale).
randomkit.wald = sampler('wald', { 'mean', 'scale' })

--- Triangular: f([result,] left, mode, right).
randomkit.triangular = sampler('triangular', { 'left', 'mode', 'right' })

--- Noncentral F: f([result,] dfnum, dfden, nonc).
randomkit.noncentral_f = sampler('noncentral_f', { 'dfnum', 'dfden', 'nonc' })

--- Good ones among sample draws: f([result,] good, bad, sample).
randomkit.hypergeometric = sampler('hypergeometric', { 'good', 'bad', 'sample' })

--- Fills a ByteTensor with random bytes.
-- @tparam torch.ByteTensor result contiguous
-- @treturn torch.ByteTensor
function randomkit.bytes(result)
  if not torch.isTensor(result) or result:type() ~= 'torch.ByteTensor' or not result:isContiguous() then
    check.raise(('randomkit.bytes: result: a %s, expected a contiguous torch.ByteTensor'):format(torch.type(result)))
  end
  local flat, word = result:view(-1), 0
  for i = 1, result:nElement() do
    if i % 4 == 1 then word = source.bits() end
    flat[i] = word % 256
    word = math.floor(word / 256)
  end
  return result
end

local manualSeed, getRNGState, setRNGState = torch.manualSeed, torch.getRNGState, torch.setRNGState

-- Seeds the default generator, and forgets the kept normal number.
function torch.manualSeed(...)
  if type((...)) == 'number' then source.keep(nil) end
  return manualSeed(...)
end

-- The state of the default generator as { torch = state, randomkit = text }.
function torch.getRNGState(...)
  if select('#', ...) > 0 then return getRNGState(...) end
  local kept = source.kept()
  return { torch = getRNGState(), randomkit = kept and ('%.17g'):format(kept) or '' }
end

-- Sets such a state, or one that was read before randomkit was loaded.
function torch.setRNGState(state, ...)
  if select('#', ...) > 0 then return setRNGState(state, ...) end
  if type(state) ~= 'table' then
    source.keep(nil)
    return setRNGState(state)
  end
  if not torch.isTensor(state.torch) or type(state.randomkit) ~= 'string' then
    check.raise('setRNGState: State was not saved with randomkit, cannot set it back')
  end
  source.keep(tonumber(state.randomkit))
  return setRNGState(state.torch)
end

return randomkit
