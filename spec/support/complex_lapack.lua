-- Whether complex matrices can be factored: there is a LAPACK, and MOONTORCH_BLAS doesn't turn it off.
local torch = require 'torch'
return function() return (pcall(torch.inverse, torch.ComplexDoubleTensor(1, 1):fill(1))) end
