--- Which functions the second names of PyTorch and NumPy mean, for torch.names.other_names and torch.names.in_place.
-- @module torch.names.synonyms
local synonyms = {}

--- A second name -> the op.
synonyms.ops = {
  absolute = 'abs', arccos = 'acos', arccosh = 'acosh', arcsin = 'asin', arcsinh = 'asinh', arctan = 'atan', arctanh = 'atanh',
  fix = 'trunc', negative = 'neg', reciprocal = 'cinv', matrixExp = 'expm', matrixPower = 'matrix_power',
  matrixRank = 'matrix_rank', pinverse = 'pinv', trapezoid = 'trapz', asStrided = 'as_strided', concat = 'cat', concatenate = 'cat',
  logSoftmax = 'logsoftmax',  argwhere = 'nonzero', degrees = 'rad2deg', radians = 'deg2rad', fabs = 'abs', power = 'pow',
  leftShift = 'lshift', rightShift = 'rshift', invert = 'bitwiseNot', bitwiseInvert = 'bitwiseNot', cumulativeSum = 'cumsum',
  cumulativeProd = 'cumprod', permuteDims = 'permute', intersect1d = 'intersect', union1d = 'union', setdiff1d = 'setdiff',
  in1d = 'isin', conjugate = 'conj', ascontiguousarray = 'contiguous',
}

--- A second name -> the function of torch, which is no op.
synonyms.functions = {
  unstack = 'unbind', arraySplit = 'tensorSplit', takeAlongAxis = 'takeAlongDim', broadcastArrays = 'broadcastTensors',
  asanyarray = 'asTensor',
}

--- A second name -> the method, which is no op.
synonyms.methods = { nelement = 'nElement', ndimension = 'nDimension', tolist = 'totable', isSameSize = 'isSameSizeAs' }

--- Methods that are no ops and return a changed copy: with an underscore at the end they change their tensor.
synonyms.copied = {}
for name in ('maskedScatter indexPut put scatterReduce indexReduce'):gmatch '%S+' do synonyms.copied[name] = true end

--- Methods whose results are views, although they are no ops.
synonyms.views = { swapaxes = true, swapdims = true }

return synonyms
