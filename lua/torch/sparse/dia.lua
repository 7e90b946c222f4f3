--- Sparse matrices of diagonals: an offset for each, and a row of values. As in SciPy, element j of a row lies in column j, so that of
-- diagonals above the main one the first elements are outside of the matrix, and of those below it the last. Sums and products with sparse
-- matrices are in compressed rows.
-- @usage local s = torch.sparse.dia(torch.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }, torch.LongTensor { 0, 1 }, { 3, 3 })
-- print(s:dense())      --> 1, 2, 3 on the diagonal, 5 and 6 above it
-- @classmod torch.SparseDIA
local torch, check = require 'torch', require 'torch.check'
local checks = require 'torch.sparse.checks'

local Sparse = require 'torch.sparse.tensor'
local DIA = torch.class('torch.SparseDIA', 'torch.Sparse')
DIA.__givesWay, DIA.__onOp = true, Sparse.__onOp

-- Returns a matrix of checked parts.
function DIA._make(values, offsets, sizes)
  return setmetatable({ _values = values, _offsets = offsets, _sizes = sizes }, DIA)
end

--- @tparam torch.Tensor data (d, m): element (k, j) is that of row j - offsets[k], column j; not copied
-- @tparam torch.LongTensor offsets (d) of diagonals, above (positive) or below the main one, each once; not copied
-- @tparam {int,int}|torch.LongStorage sizes rows and columns
-- @raise if an offset occurs twice, or lengths differ
function DIA:__init(data, offsets, sizes)
  local where = 'torch.sparse.dia'
  check.tensor(where, 'data', data)
  checks.longs(where, 'offsets', offsets, 1)
  sizes = checks.sizes(where, sizes, 2)
  if data:dim() ~= 2 or data:size(1) ~= offsets:size(1) then
    check.raise(('%s: data: sizes [%s], expected a matrix with %d rows, one for each offset'):format(where,
      table.concat(data:size():totable(), ', '), offsets:size(1)), 'shape')
  end
  local seen = {}
  for _, offset in ipairs(offsets:nElement() > 0 and offsets:totable() or {}) do
    offset = tonumber(offset)
    check.that(not seen[offset], ('%s: offsets: %d occurs twice, expected different ones'):format(where, offset))
    seen[offset] = true
  end
  self._values, self._offsets, self._sizes = data, offsets, sizes
end

DIA.__read = checks.reader { '_values', '_offsets', '_sizes' }

--- Returns the offsets of the diagonals: a LongTensor, not a copy.
function DIA:offsets() return self._offsets end

--- Returns the format's name, 'dia'.
function DIA:format() return 'dia' end      -- luacheck: ignore 212

-- Calls f(row of data, first row, first column, number of elements) for each diagonal with elements inside the matrix; all from 1.
local function eachDiagonal(self, f)
  local rows, columns = self._sizes[1], math.min(self._sizes[2], self._values:size(2))
  for k = 1, self._offsets:size(1) do
    local offset = tonumber(self._offsets[k])
    local first, last = math.max(1, offset + 1), math.min(columns, rows + offset)
    if last >= first then f(k, first - offset, first, last - first + 1) end
  end
end

--- Returns the number of elements of diagonals inside the matrix.
function DIA:nnz()
  local total = 0
  eachDiagonal(self, function(_, _, _, count) total = total + count end)
  return total
end

--- Returns the matrix by coordinates, with an entry for each element of a diagonal.
-- @treturn torch.SparseCOO
function DIA:coo()
  local rows, columns, values = {}, {}, {}
  eachDiagonal(self, function(k, row, column, count)
    local steps = torch.range(0, count - 1):long()
    rows[#rows + 1], columns[#columns + 1] = steps + row, steps + column
    values[#values + 1] = torch.narrow(torch.select(self._values, 1, k), 1, column, count)
  end)
  if #rows == 0 then return torch.SparseCOO._make(torch.LongTensor(2, 0), self._values:detach().new(0), self._sizes, true) end
  local indices = torch.cat(torch.cat(rows, 1):view(1, -1), torch.cat(columns, 1):view(1, -1), 1)
  return torch.SparseCOO._make(indices, torch.cat(values, 1), self._sizes)
end

--- Returns the matrix in compressed rows.
-- @treturn torch.SparseCSR
function DIA:csr() return self:coo():csr() end

--- Returns the matrix itself.
function DIA:dia() return self end

-- Returns a matrix with the same offsets and other values.
function DIA:_with(values) return DIA._make(values, self._offsets, self._sizes) end

-- Returns the product of the matrix, or of its transpose, with a dense vector or matrix.
function DIA:_product(x, isTransposed)
  return torch.diaMatmul(self._values, self._offsets, x, self._sizes[isTransposed and 2 or 1], isTransposed)
end

return DIA
