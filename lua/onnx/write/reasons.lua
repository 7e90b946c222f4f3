--- Why ops have no form in ONNX.
-- @module onnx.write.reasons
local reasons = {}

local function because(reason, names)
  for op in names:gmatch '[%w_]+' do reasons[op] = reason end
end

because('a function that ONNX lacks, and that no few nodes compute', [[
  besselJ0 besselJ1 besselY0 besselY1 betainc betainc_density betainc_slope_a betainc_slope_b betaincinv betaln
  chebyshevPolynomialT chebyshevPolynomialU chebyshevPolynomialV chebyshevPolynomialW digamma erfcx erfinv
  gammainc gammainc_density gammainc_slope gammaincc gammainccinv gammaincinv hermitePolynomialH hermitePolynomialHe i0 i0e i1 i1e
  laguerrePolynomialL legendrePolynomialP lgamma logNdtr modifiedBesselK0 modifiedBesselK1 ndtri polygamma scaledModifiedBesselK0
  scaledModifiedBesselK1 shiftedChebyshevPolynomialT shiftedChebyshevPolynomialU shiftedChebyshevPolynomialV
  shiftedChebyshevPolynomialW sphericalBesselJ0 trigamma zeta
]])
because('a decomposition or solution that ONNX lacks', [[
  cholesky eig gels geqrf gesv inverse logdet lu orgqr ormqr potrf potri potrs pstrf qr schur slogdet solve svd symeig trtrs
]])
because('an op that overwrites its arguments, as training does', [[
  adadelta_step adagrad_step adam_step adamax_step amsgrad_step asgd_step clip_values lion_step nadam_step radam_step rmsprop_step
  rprop_step sgd_step unscale
]])
because('random numbers, which no other program draws alike', [[
  bernoulli cauchy exponential geometric logNormal multinomial normal rand randn random randperm uniform
]])
because('sizes that depend on elements', 'maskedSelect nonzero bincount')
because('a sparse matrix, which ONNX has as a constant alone', [[
  bsrMatmul bsrSampled bsrTransposedMatmul bucketSort csrExpand csrMatmul csrProduct csrProductAt csrSampled csrSolveTriangular
  csrTransposedMatmul diaMatmul diaSampled
]])
because('complex numbers, which ONNX has for transforms alone', 'abs_slope angle complex conj imag real sgn viewAsComplex viewAsReal')
because('a condition, which a graph has no value for', 'equal')
because('a gradient, for which ONNX has no node: export the forward pass', [[
  bagSum_grad batchNorm_grad ctc_loss_grad groupNorm_grad gru_cell_grad layerNorm_grad
  logcumsumexp_grad lstm_cell_grad lstm_layer_grad nll_loss_grad resample_grad rmsNorm_grad
  roiAlign_grad scaledDotProductAttention_grad warp_grad
]])
because('a mask of boxes that survive, where ONNX has a list of them', 'nmsMask')
because('places of largest elements, which MaxRoiPool lacks', 'roiMax')
because('a scan that ONNX lacks', 'cummax cummin logcumsumexp')
because('no fixed number of nodes computes it', 'bagMax bhistc ctc_loss histc mode')
because('weights in the order of the kernels of 8-bit integers: export the network before it is quantised', [[
  int8Conv2d int8Linear int8Pack
]])
because('integers of 8 bits with roundings of their own: export the network before it is quantised', [[
  int8Add int8Attention int8AvgPool2d int8Map int8MaxPool2d
]])
because('positions or filters that GridSample lacks', 'warp')
because('a number of elements that depends on sizes of inputs', 'linspace logspace')

return reasons
