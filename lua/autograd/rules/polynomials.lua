-- Orthogonal polynomials have no derivative here, nor in PyTorch.
local rules = require 'autograd.rules'

local names = [[
  chebyshevPolynomialT chebyshevPolynomialU chebyshevPolynomialV chebyshevPolynomialW shiftedChebyshevPolynomialT
  shiftedChebyshevPolynomialU shiftedChebyshevPolynomialV shiftedChebyshevPolynomialW hermitePolynomialH hermitePolynomialHe
  laguerrePolynomialL legendrePolynomialP ]]
for name in names:gmatch '%S+' do rules[name] = rules.refuse 'its recurrence is not recorded; compute the polynomial by ops' end
