--- Connection tables for nn.SpatialConvolutionMap: each row is a plane of the input and one of the output.
-- @module nn.tables
local torch, check = require 'torch', require 'torch.check'

local tables = {}

--- Returns all pairs.
-- @tparam int nin planes of the input
-- @tparam int nout planes of the output
-- @treturn torch.Tensor (nin * nout, 2), output planes slowest
function tables.full(nin, nout)
  local rows = torch.Tensor(nin * nout, 2)
  for o = 1, nout do
    for i = 1, nin do
      rows[(o - 1) * nin + i][1] = i
      rows[(o - 1) * nin + i][2] = o
    end
  end
  return rows
end

--- Returns pairs of each plane with itself.
-- @tparam int n
-- @treturn torch.Tensor (n, 2)
function tables.oneToOne(n)
  local rows = torch.Tensor(n, 2)
  for i = 1, n do rows[i]:fill(i) end
  return rows
end

--- Returns `nto` distinct planes of the input for each of the output: random permutations of all are split into groups of `nto`.
-- @tparam int nin
-- @tparam int nout
-- @tparam int nto
-- @treturn torch.Tensor (nto * nout, 2)
-- @raise if there are fewer than `nto` planes of the input
function tables.random(nin, nout, nto)
  nto = check.whole('nn.tables.random', 'nto', nto, { min = 0, max = nin })
  local rows = torch.Tensor(nto * nout, 2)
  local order, used = torch.randperm(nin), 0
  for o = 1, nout do
    if used + nto > nin then order, used = torch.randperm(nin), 0 end
    for k = 1, nto do
      local row = rows[(o - 1) * nto + k]
      row[1], row[2] = order[used + k], o
    end
    used = used + nto
  end
  return rows
end

return tables
