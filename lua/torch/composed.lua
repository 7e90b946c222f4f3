--- Which file of lua/torch/ops declares which composed ops, so that each is read when one of its ops is first asked for.
-- spec/torch/composed_spec.lua holds this list against what the files declare. All of these ops have methods, but those of
-- `functions`.
-- @module torch.composed
local composed = {}

--- Family -> names of its ops.
composed.families = {
  compare = { 'isclose', 'allclose' },
  convolve = { 'conv2', 'xcorr2', 'conv3', 'xcorr3' },
  einsum = { 'einsum' },
  matrices = { 'trace', 'rot90', 'diff' },
  matrix_norm = { 'matrix_norm' },
  matrix_power = { 'matrix_power' },
  nan = { 'nansum', 'nanmean', 'nanmax', 'nanmin' },
  norms = { 'dist', 'renorm' },
  pseudoinverse = { 'pinv', 'lstsq', 'matrix_rank' },
  statistics = { 'quantile', 'nanquantile', 'cov', 'corrcoef', 'countNonzero', 'unique' },
  tensor_products = { 'tensordot', 'kron' },
}

--- Families whose ops have no methods: no tensor comes first.
composed.functions = { einsum = true }

--- Reads a family's file.
-- @string family
function composed.load(family) require('torch.ops.' .. family) end

--- Reads the file that declares an op, if there is one.
-- @string name
function composed.find(name)
  for family, names in pairs(composed.families) do
    for _, own in ipairs(names) do
      if own == name then return composed.load(family) end
    end
  end
end

--- Reads all of them.
function composed.loadAll()
  for family in pairs(composed.families) do composed.load(family) end
end

return composed
