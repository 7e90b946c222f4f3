--- Which file of lua/torch/ops declares which composed ops, so that each is read when one of its ops is first asked for.
-- spec/torch/composed_spec.lua holds this list against what the files declare. All of these ops have methods.
-- @module torch.composed
local composed = {}

--- Family -> names of its ops.
composed.families = {
  compare = { 'isclose', 'allclose' },
  convolve = { 'conv2', 'xcorr2', 'conv3', 'xcorr3' },
  nan = { 'nansum', 'nanmean', 'nanmax', 'nanmin' },
  norms = { 'dist', 'renorm' },
  statistics = { 'quantile', 'nanquantile', 'cov', 'corrcoef', 'countNonzero', 'unique' },
  vectors = { 'trace', 'cross', 'rot90', 'diff' },
}

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
