--- Lists which file of lua/torch/ops declares which composed ops, so that each file is loaded when one of its ops is first used.
-- spec/torch/composed_spec.lua compares these lists with the declarations in the files.
-- @module torch.composed
local composed = {}

--- Lines with a module and the names of its ops, for `torch.start.lazy_loader`.
composed.methods = [[
  torch.ops.activations: celu selu hardshrink threshold
  torch.ops.bitwise: bitwiseAnd bitwiseOr bitwiseXor bitwiseLeftShift bitwiseRightShift
  torch.ops.compare: isclose allclose
  torch.ops.complex: polar
  torch.ops.convolve: conv2 xcorr2 conv3 xcorr3
  torch.ops.logic: greater greaterEqual less lessEqual notEqual logicalAnd logicalOr logicalXor
  torch.ops.matrices: trace adjoint rot90 diff
  torch.ops.divisors: gcd lcm
  torch.ops.elements: deg2rad rad2deg logicalNot isposinf isneginf signbit bitwiseNot sinc logit nanToNum mvlgamma frexp entr ndtr
  torch.ops.histogram: histogram
  torch.ops.matrix_functions: expm cond nullSpace
  torch.ops.matrix_norm: matrix_norm
  torch.ops.matrix_power: matrix_power
  torch.ops.nan: nanmean nanmax nanmin nanvar nanstd
  torch.ops.norms: cdist dist renorm
  torch.ops.pairs: multiply subtract maximum minimum fmax fmin copysign heaviside xlogy xlog1py logaddexp2 ldexp floatPower arctan2
  torch.ops.pseudoinverse: pinv lstsq matrix_rank
  torch.ops.polynomials: polyval polyfit roots
  torch.ops.quotients: divide trueDivide floorDivide
  torch.ops.reductions: amax amin nanmedian
  torch.ops.rows: inner pdist cosineSimilarity pairwiseDistance msort clampMin clampMax prelu cumulativeTrapezoid diagEmbed diagflat
  torch.ops.sampled: trapz gradient interp
  torch.ops.sets: isin setdiff intersect union
  torch.ops.statistics: quantile nanquantile percentile cov corrcoef countNonzero unique
  torch.ops.tensor_products: tensordot kron
]]

--- Lines for ops that are not methods, because their first argument is not a tensor.
composed.functions = [[
  torch.ops.einsum: einsum
]]

--- Iterates over the modules.
-- @treturn function returns a module, and the names of its ops as one string
function composed.each() return (composed.methods .. composed.functions):gmatch '(%S+): ([^\n]+)' end

--- Loads the file that declares an op, if there is one.
-- @string name
function composed.find(name)
  for module, names in composed.each() do
    for own in names:gmatch '%S+' do
      if own == name then return require(module) end
    end
  end
end

--- Loads all files of composed ops.
function composed.loadAll()
  for module in composed.each() do require(module) end
end

return composed
