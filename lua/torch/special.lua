--- PyTorch's special functions, `torch.special`: those of torch, by PyTorch's names or in camelCase.
-- @module torch.special
local torch = require 'torch'

-- Names that torch has by another name.
local others = { expit = 'sigmoid', gammaln = 'lgamma', psi = 'digamma', multigammaln = 'mvlgamma', logSoftmax = 'logsoftmax' }

local names = {}
for name in ([[
  besselJ0 besselJ1 besselY0 besselY1 betainc betaincinv betaln chebyshevPolynomialT chebyshevPolynomialU chebyshevPolynomialV
  chebyshevPolynomialW digamma entr erf erfc erfcx erfinv exp2 expit expm1 gammainc gammaincc gammaincinv gammainccinv gammaln
  hermitePolynomialH hermitePolynomialHe i0 i0e i1 i1e laguerrePolynomialL legendrePolynomialP log1p logNdtr logSoftmax logit logsumexp
  modifiedBesselI0 modifiedBesselI1 modifiedBesselK0 modifiedBesselK1 multigammaln ndtr ndtri polygamma psi round scaledModifiedBesselK0
  scaledModifiedBesselK1 shiftedChebyshevPolynomialT shiftedChebyshevPolynomialU shiftedChebyshevPolynomialV shiftedChebyshevPolynomialW
  sinc softmax sphericalBesselJ0 xlog1py xlogy zeta
]]):gmatch '%S+' do names[name] = others[name] or name end

return setmetatable({}, { __index = function(self, name)
  local ours = type(name) == 'string' and names[(name:gsub('_(%w)', string.upper))]
  if not ours then return nil end
  rawset(self, name, torch[ours])
  return torch[ours]
end })
