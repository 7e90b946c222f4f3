--- Exceptions of the registry's sweeps: sweep -> op -> reason. The sweeps check everything else.
local exceptions = {}

local function each(names, reason)
  local list = {}
  for name in names:gmatch '%S+' do list[name] = reason end
  return list
end

exceptions.layout = each('view viewAs as_strided',
  'it refuses tensors of which it would need a copy, or reads the storage by strides of its own')

exceptions.forward = each('uniform normal exponential cauchy logNormal geometric bernoulli random rand randn randperm multinomial',
  'its values are random: spec/torch/random_spec.lua has their streams and distributions')
for _, name in ipairs { 'eig', 'svd', 'schur' } do
  exceptions.forward[name] = 'order and signs are free: spec/torch/linalg_spec.lua checks what its results mean'
end
exceptions.forward.nullSpace = 'any basis will do: spec/torch/analysis_spec.lua checks what its columns mean'
exceptions.forward.empty = 'its elements are whatever was in memory'
exceptions.result = { empty = exceptions.forward.empty }
for _, name in ipairs { 'trapz', 'gradient', 'cumulativeTrapezoid' } do
  exceptions.result[name] = 'of two tensors the second one is where the first is taken, and none a result to write to'
end
exceptions.memory = { gradient = exceptions.result.gradient, cumulativeTrapezoid = exceptions.result.gradient }
exceptions.dtype = { interp = 'booleans that are all true are points that do not ascend' }

exceptions.gradient = each('to', 'differences in float64 do not see through other dtypes: spec/autograd has its derivative')
exceptions.gradient.fakeQuantize = 'its gradient is that of x, not of the steps: spec/quantize has it'

exceptions.branches = each('kthvalue median nanmedian quantile nanquantile percentile',
  'at a tie the gradient goes to one of the equal elements, as in PyTorch')
exceptions.branches.copysign = 'where y is 0, its sign and so the result jump'
exceptions.branches.to, exceptions.branches.fakeQuantize = exceptions.gradient.to, exceptions.gradient.fakeQuantize

-- Arguments that are constants for the tape: op -> position -> reason. The gradient sweep skips them.
exceptions.constants = {
  nll_loss = { [3] = 'class weights belong to the data, as in Torch7' },
  ctc_loss = { [2] = 'labels are classes', [3] = 'numbers of steps are counts', [4] = 'numbers of labels are counts' },
  ctc_loss_grad = { [3] = 'labels are classes', [4] = 'numbers of steps are counts', [5] = 'numbers of labels are counts' },
  roiAlign = { [2] = 'boxes are constants, as in torchvision' }, roiAlign_grad = { [3] = 'boxes are constants, as in torchvision' },
  roiMax = { [2] = 'boxes are constants, as in torchvision' },
  fakeQuantize = { [2] = 'scales are constants', [3] = 'zero points are constants' },
  fakeQuantize_grad = { [2] = 'the bounds cut where they are', [3] = 'scales are constants', [4] = 'zero points are constants' },
  nll_loss_grad = { [4] = 'the total follows from target and weights', [5] = 'class weights belong to the data, as in Torch7' },
}

local notAgain = 'its derivative has none: spec/torch/incomplete_spec.lua compares it with differences'
for _, name in ipairs { 'gammainc', 'gammaincc', 'gammaincinv', 'gammainccinv' } do exceptions.constants[name] = { notAgain } end
for _, name in ipairs { 'betainc', 'betaincinv' } do exceptions.constants[name] = { notAgain, notAgain } end
exceptions.constants.zeta = { 'it has a derivative for q alone, as in PyTorch' }

-- Ops that read one triangle of a symmetric matrix: their derivative is along symmetric changes, so that the gradient sweep makes only
-- such changes.
exceptions.symmetric = each('symeig potrf cholesky', 'the gradient is symmetric, as the argument is')

-- Situations in which an op has a value and no finite gradient: op -> situation of the extremes sweep -> reason.
local function at(situations, reason)
  local list = {}
  for name in situations:gmatch '[^,]+' do list[name:match '^%s*(.-)%s*$'] = reason end
  return list
end
exceptions.poles = {
  sqrt = at('as it is, times 1e4, large, times 1e-4, small, zero, one zero, negative', 'd sqrt(x) / dx at 0 is infinite'),
  acosh = at('as it is, small, one zero', 'd acosh(x) / dx at 1 is infinite'),
  pow = at('zero, one zero', 'd x^y / dx at 0 is infinite for y below 1'),
  atan2 = at('zero, one zero', 'the angle of (0, 0) depends on the direction that it is seen from'),
  arctan2 = at('zero, one zero', 'the angle of (0, 0) depends on the direction that it is seen from'),
  logcumsumexp = at('times 1e4', "exp(x - result) is as exact as the result is rounded: of 1e7 float32 has no decimals"),
  betaln = at('times 1e4, large, times 1e-4', 'a difference of digammas of like arguments, which float32 rounds'),
  erfcx = at('times 1e4, large', 'a difference of like numbers, which float32 rounds'),
  i0e = at('times 1e4, large', 'a difference of like numbers, which float32 rounds'),
  i1e = at('times 1e4, large', 'a difference of like numbers, which float32 rounds'),
  scaledModifiedBesselK0 = at('times 1e4, large', 'a difference of like numbers, which float32 rounds'),
  scaledModifiedBesselK1 = at('times 1e4, large', 'a difference of like numbers, which float32 rounds'),
  gammainc = at('zero, one zero', 'd gammainc(a, x) / dx at x = 0 is infinite for a below 1'),
  gammaincc = at('zero, one zero', 'd gammaincc(a, x) / dx at x = 0 is infinite for a below 1'),
  gammaincinv = at('zero, one zero', 'd gammaincinv(a, p) / dp at p = 0 is infinite for a above 1'),
  gammainc_density = at('as it is, times 1e4, large, times 1e-4, small, zero, one zero, negative, equal',
    'at x = 0 the slope for a is infinite for a = 1, that for x for other a below 2'),
  betainc = at('zero, one zero', 'd betainc(a, b, x) / dx at x = 0 is infinite for a below 1'),
  betaincinv = at('as it is, times 1e4, large, times 1e-4, small, zero, one zero, negative',
    'the slope for p is infinite at 0 for a above 1, and at 1 for b above 1'),
  betainc_density = at('as it is, times 1e4, large, times 1e-4, small, zero, one zero, negative, equal',
    'at x = 0 the slope for a is infinite for a = 1, that for x for other a below 2; at x = 1 those for b and x'),
}

-- Situations, of the sweeps extremes and branches, in which the rounding of a vendor's library on this processor decides whether an op has
-- a value and a finite gradient.
local degenerate = 'vectors of equal values are any of a space, so that rounding makes them and their gradients'
exceptions.rounded = {
  eig = at('as it is, times 1e-4, small, zero, one zero, negative, equal, ones',
    'rounding decides the order of the eigenvalues; the vectors of equal ones are any of a space'),
  svd = at('zero, equal, ones', degenerate),
  symeig = at('zero, equal, ones', degenerate),
  cond = at('equal', 'the smallest singular value is 0 but for rounding'),
  scaledDotProductAttention = at('times 1e4', 'weights are exponentials of scores near 1e4, of which float32 has three decimals'),
  qr = at('equal, ones', 'the second column lies in the first, so that rounding alone says what is perpendicular to it'),
}

return exceptions
