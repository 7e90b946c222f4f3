--- Conversions of sparse matrices to blocks and to diagonals.
-- @module torch.sparse.conversions
local torch, check = require 'torch', require 'torch.check'

local conversions = {}

-- Returns for entries in compressed rows the number of their block, the place in it, and the rows and columns of all blocks.
local function blocksOf(s, r, c)
  local row, column = s:_owners() - 1, s:columns() - 1
  local blockRow, blockColumn = row:clone():div(r), column:clone():div(c)
  local within = (row - blockRow * r) * c + (column - blockColumn * c)
  local keys = blockRow * (s:size(2) / c) + blockColumn
  local sorted, order = torch.sort(keys)
  local count = keys:size(1)
  local firsts = torch.ByteTensor(count):fill(1)
  if count > 1 then firsts:narrow(1, 2, count - 1):copy(sorted:narrow(1, 2, count - 1):ne(sorted:narrow(1, 1, count - 1))) end
  local at = firsts:nonzero():view(-1)
  local distinct = order:index(1, at)
  return order, firsts:long():cumsum(), within:index(1, order), blockRow:index(1, distinct) + 1, blockColumn:index(1, distinct) + 1
end

--- Returns a matrix in blocks; places of a block without an entry get 0.
-- @tparam torch.SparseCSR s coalesced
-- @int r rows of a block
-- @int c columns of a block
-- @treturn torch.SparseBSR
-- @raise if r and c don't divide the sizes
function conversions.blocks(s, r, c)
  check.int('bsr', 'rows', r, { min = 1 })
  check.int('bsr', 'columns', c, { min = 1 })
  local sizes = s:size()
  if sizes[1] % r ~= 0 or sizes[2] % c ~= 0 then
    check.raise(('bsr: self: sizes [%d, %d], expected multiples of [%d, %d], the size of a block'):format(sizes[1], sizes[2], r, c),
      'shape')
  end
  if s:nnz() == 0 then
    local empty = torch.LongTensor(sizes[1] / r + 1):fill(1)
    return torch.SparseBSR._make(empty, torch.LongTensor(0), s:values().new(0, r, c), { sizes[1], sizes[2] })
  end
  local order, numbers, within, rows, columns = torch.noGrad(blocksOf, s, r, c)
  local count = rows:size(1)
  local places = (numbers - 1) * (r * c) + within + 1
  local flat = torch.indexAdd(s:values():detach().new(count * r * c):zero(), 1, places, torch.index(s:values(), 1, order))
  local first = torch.bucketSort(rows, sizes[1] / r)
  return torch.SparseBSR._make(first, columns, torch.view(flat, count, r, c), { sizes[1], sizes[2] })
end

--- Returns a matrix of its diagonals that have entries.
-- @tparam torch.SparseCOO s coalesced
-- @treturn torch.SparseDIA
function conversions.diagonals(s)
  local sizes = s:size():totable()
  if s:nnz() == 0 then return torch.SparseDIA._make(s:values().new(0, sizes[2]), torch.LongTensor(0), sizes) end
  local offsets, places = torch.noGrad(function()
    local distance = s:indices()[2] - s:indices()[1]
    local distinct = torch.unique(distance)
    local number = torch.searchsorted(distinct, distance)
    return distinct, (number - 1) * sizes[2] + s:indices()[2]
  end)
  local count = offsets:size(1)
  local flat = torch.indexAdd(s:values():detach().new(count * sizes[2]):zero(), 1, places, s:values())
  return torch.SparseDIA._make(torch.view(flat, count, sizes[2]), offsets, sizes)
end

return conversions
