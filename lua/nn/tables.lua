--- Connection tables for nn.SpatialConvolutionMap: each row is a plane of the input and one of the output.
-- @module nn.tables
local torch = require 'torch'

local tables = {}

--- All pairs.
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

--- Each plane with itself.
-- @tparam int n
-- @treturn torch.Tensor (n, 2)
function tables.oneToOne(n)
  local rows = torch.Tensor(n, 2)
  for i = 1, n do rows[i]:fill(i) end
  return rows
end

--- `nto` planes of the input for each of the output, taken from one random order of all after another.
-- @tparam int nin
-- @tparam int nout
-- @tparam int nto
-- @treturn torch.Tensor (nto * nout, 2)
function tables.random(nin, nout, nto)
  local rows = torch.Tensor(nto * nout, 2)
  local order, used = torch.randperm(nin), 0
  for k = 1, nto * nout do
    if used == nin then order, used = torch.randperm(nin), 0 end
    used = used + 1
    rows[k][1] = order[used]
    rows[k][2] = math.floor((k - 1) / nto) + 1
  end
  return rows
end

return tables
