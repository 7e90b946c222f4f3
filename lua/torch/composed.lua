--- Which file of lua/torch/ops declares which composed ops, so that each is read when one of its ops is first asked for.
-- spec/torch/composed_spec.lua holds this list against what the files declare. All of these ops have methods, but those of
-- `functions`.
-- @module torch.composed
local composed = {}

--- Module -> names of its ops, in one text.
composed.families = {
  ['torch.ops.compare'] = 'isclose allclose',
  ['torch.ops.convolve'] = 'conv2 xcorr2 conv3 xcorr3',
  ['torch.ops.einsum'] = 'einsum',
  ['torch.ops.matrices'] = 'trace rot90 diff',
  ['torch.ops.matrix_norm'] = 'matrix_norm',
  ['torch.ops.matrix_power'] = 'matrix_power',
  ['torch.ops.nan'] = 'nansum nanmean nanmax nanmin',
  ['torch.ops.norms'] = 'dist renorm',
  ['torch.ops.pseudoinverse'] = 'pinv lstsq matrix_rank',
  ['torch.ops.statistics'] = 'quantile nanquantile cov corrcoef countNonzero unique',
  ['torch.ops.tensor_products'] = 'tensordot kron',
}

--- Families whose ops have no methods: no tensor comes first.
composed.functions = { ['torch.ops.einsum'] = true }

--- Reads the file that declares an op, if there is one.
-- @string name
function composed.find(name)
  for module, names in pairs(composed.families) do
    for own in names:gmatch '%S+' do
      if own == name then return require(module) end
    end
  end
end

--- Reads all of them.
function composed.loadAll()
  for module in pairs(composed.families) do require(module) end
end

return composed
