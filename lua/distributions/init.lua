--- Probability distributions: samples, reparameterised samples with gradients, log-probabilities, entropies, moments, divergences.
-- Classes have PyTorch's names, methods PyTorch's names in camelCase. Parameters are numbers or tensors of floats that broadcast; all
-- results support the tape. A class is loaded at its first use.
-- Names in small letters, such as `distributions.norm`, are Torch7's functions.
-- @module distributions
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'
require 'autograd'

local distributions = rawget(_G, 'distributions') or {}
package.loaded.distributions = distributions
rawset(_G, 'distributions', distributions)

local classes = ([[
  Distribution ExponentialFamily Normal Uniform Exponential Gamma HalfNormal LogNormal Cauchy HalfCauchy Laplace Gumbel Weibull Pareto
  GeneralizedPareto Kumaraswamy InverseGamma Chi2 Beta StudentT FisherSnedecor Poisson Bernoulli Geometric Binomial NegativeBinomial
  Hypergeometric Categorical Dirichlet MultivariateNormal LowRankMultivariateNormal Wishart LKJCholesky OneHotCategorical
  OneHotCategoricalStraightThrough Multinomial RelaxedBernoulli RelaxedOneHotCategorical Independent MixtureSameFamily VonMises
  ContinuousBernoulli TransformedDistribution LogisticNormal Transform ExpTransform PowerTransform SigmoidTransform TanhTransform
  SoftplusTransform AbsTransform AffineTransform SoftmaxTransform StickBreakingTransform LowerCholeskyTransform
  PositiveDefiniteTransform CorrCholeskyTransform ComposeTransform IndependentTransform ReshapeTransform CatTransform StackTransform
  CumulativeDistributionTransform
]]):gsub('%S+', 'distributions.%0: %0\n')

require 'torch.start.lazy_loader'(distributions, classes .. [[
  constraints = distributions.constraints
  norm = distributions.torch7.norm
  cauchy = distributions.torch7.cauchy
  laplace = distributions.torch7.laplace
  chi2 = distributions.torch7.chi2
  poisson = distributions.torch7.poisson
  gamma = distributions.torch7.gamma
  dir = distributions.torch7.dir
  cat = distributions.torch7.cat
  mvcat = distributions.torch7.mvcat
  mvn = distributions.torch7.mvn
  util = distributions.torch7.util
  wishart = distributions.torch7.wishart
  nw = distributions.torch7.normal_wishart
  distributions.torch7.goodness: ksone kstwo chi2Uniform chi2TestCDF chi2Gaussian
  identityTransform = distributions.identity_transform
  distributions.divergence: kl klDivergence registerKl
  distributions.mapping: bijectTo transformTo
]])

return distributions
