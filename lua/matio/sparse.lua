--- MATLAB's sparse matrices, in compressed columns, as tensors by coordinates, and back.
-- @module matio.sparse
local torch = require 'torch'

local sparse = {}

--- Returns a matrix.
-- @tparam torch.Tensor rows the row of each entry, from 0; entries may have room behind them
-- @tparam torch.Tensor starts of columns, and the number of entries
-- @tparam torch.Tensor values
-- @tparam {int,int} sizes
-- @treturn ?torch.SparseCOO nil if the parts don't fit
-- @treturn ?string the reason
function sparse.matrix(rows, starts, values, sizes)
  rows, starts = rows:long(), starts:long()
  local count = tonumber(starts[starts:nElement()])
  if starts[1] ~= 0 or count < 0 or count > rows:nElement() or count > values:nElement() then
    return nil, ('%d rows and %d values for %d entries'):format(rows:nElement(), values:nElement(), count)
  end
  if (starts:narrow(1, 2, sizes[2]) - starts:narrow(1, 1, sizes[2])):lt(0):any() then return nil, 'columns that end before they begin' end
  if count == 0 then return torch.SparseCOO(torch.LongTensor(2, 0), values.new(0), sizes) end
  rows, values = rows:narrow(1, 1, count), values:narrow(1, 1, count)
  if rows:min() < 0 or rows:max() >= sizes[1] then
    return nil, ('row %d of %d'):format(rows:min() < 0 and tonumber(rows:min()) or tonumber(rows:max()) + 1, sizes[1])
  end
  local columns = torch.csrExpand(starts + 1, count)
  return torch.SparseCOO(torch.cat((rows + 1):view(1, count), columns:view(1, count), 1), values:clone(), sizes)
end

--- Returns the parts of a matrix.
-- @param s a sparse matrix
-- @treturn torch.LongTensor rows, from 0
-- @treturn torch.LongTensor starts
-- @treturn torch.Tensor values
function sparse.parts(s)
  local columns = s:coo():t():csr():coalesce()
  return columns:columns() - 1, columns:rows() - 1, columns:values():detach()
end

return sparse
