--- Sparse matrices in compressed rows (`torch.SparseCSR`) or compressed columns (`torch.SparseCSC`): the methods of both, which exchange
-- rows and columns. Entries of a compressed row, or column, follow one another; those of the i-th are first[i] to first[i + 1] - 1.
-- @classmod torch.SparseCompressed
local torch, check = require 'torch', require 'torch.check'
local checks = require 'torch.sparse.checks'

local Sparse = require 'torch.sparse.tensor'
local Compressed = torch.class('torch.SparseCompressed', 'torch.Sparse')
Compressed.__givesWay, Compressed.__onOp = true, Sparse.__onOp

-- The two formats. Each compresses a dimension, `major`; the fields are those of the positions at which its rows or columns begin, and of
-- the places of entries in them.
local formats = {
  csr = { class = 'torch.SparseCSR', other = 'csc', major = 1, fields = { '_rows', '_columns' }, names = { 'rows', 'columns', 'row' } },
  csc = { class = 'torch.SparseCSC', other = 'csr', major = 2, fields = { '_columns', '_rows' }, names = { 'columns', 'rows', 'column' } },
}

local function make(format, first, index, values, sizes, isSorted)
  local fields = formats[format].fields
  return setmetatable({ [fields[1]] = first, [fields[2]] = index, _values = values, _sizes = sizes, _isSorted = isSorted or nil },
    require('torch.sparse.' .. format))
end

local function swapped(sizes) return sizes and { sizes[2], sizes[1] } end

-- Sizes with that of the compressed dimension first.
local function oriented(own, sizes) return own.major == 1 and sizes or swapped(sizes) end

-- Defines the class of a format. _make(first, index, values, sizes, isSorted) returns a matrix of checked parts; with isSorted, the
-- places in each row or column ascend and are distinct.
function Compressed._define(format)
  local own = formats[format]
  local class = torch.class(own.class, 'torch.SparseCompressed')
  class.__givesWay, class.__onOp, class._format = true, Sparse.__onOp, format
  function class._make(...) return make(format, ...) end
  class.__read = checks.reader { own.fields[1], own.fields[2], '_values', '_sizes' }
  return class
end

-- The positions at which rows or columns begin, the places of entries in them, and the sizes with the compressed dimension first.
function Compressed:_parts()
  local own = formats[self._format]
  return self[own.fields[1]], self[own.fields[2]], oriented(own, self._sizes)
end

-- Checks parts, and sets them.
function Compressed:_set(where, first, index, values, sizes)
  local own = formats[self._format]
  sizes = sizes and checks.sizes(where, sizes, 2)
  sizes = oriented(own, checks.compressed(where, own.names, first, index, oriented(own, sizes), values))
  self[own.fields[1]], self[own.fields[2]], self._values, self._sizes = first, index, values, sizes
end

-- Checks the parts again.
function Compressed:_check(where)
  local first, index, sizes = self:_parts()
  return checks.compressed(where, formats[self._format].names, first, index, sizes, self._values)
end

--- Returns the format's name, 'csr' or 'csc'.
function Compressed:format() return self._format end

-- Returns the row, or column, of each entry.
function Compressed:_owners()
  local first, index = self:_parts()
  return torch.csrExpand(first, index:size(1))
end

-- Returns the matrix in the other format.
local function recompressed(self)
  local _, index, sizes = self:_parts()
  local first, order = torch.bucketSort(index, sizes[2])
  return make(formats[self._format].other, first, torch.index(self:_owners(), 1, order), torch.index(self._values, 1, order), self._sizes,
    self._isSorted)
end

-- Returns the transpose, of the same parts in the other format.
local function turned(self)
  local first, index = self:_parts()
  return make(formats[self._format].other, first, index, self._values, swapped(self._sizes), self._isSorted)
end

--- Returns the matrix in compressed rows: itself if it is so already.
-- @treturn torch.SparseCSR
function Compressed:csr() return self._format == 'csr' and self or recompressed(self) end

--- Returns the matrix in compressed columns: itself if it is so already.
-- @treturn torch.SparseCSC
function Compressed:csc() return self._format == 'csc' and self or recompressed(self) end

local function places(self) return torch.cat(self:_owners():view(1, -1), self._columns:view(1, -1), 1) end

--- Returns the matrix by coordinates.
-- @treturn torch.SparseCOO
function Compressed:coo()
  if self._format ~= 'csr' then return self:csr():coo() end
  local indices = self:nnz() == 0 and torch.LongTensor(2, 0) or torch.noGrad(places, self)
  return torch.SparseCOO._make(indices, self._values, self._sizes, self._isSorted)
end

--- Returns whether the places in each row, or column, ascend and are distinct.
function Compressed:isCoalesced() return self._isSorted == true end

--- Returns the matrix with the values of equal places added up, and places in each row, or column, in ascending order.
-- @treturn torch.SparseCompressed self if it is so already
function Compressed:coalesce() return self._isSorted and self or self:_like(self:coo():coalesce()) end

-- Returns a matrix with the same places and other values.
function Compressed:_with(values)
  local first, index = self:_parts()
  return make(self._format, first, index, values, self._sizes, self._isSorted)
end

--- Returns the transpose, in the same format.
function Compressed:transpose(a, b)
  if a ~= nil or b ~= nil then
    check.int('transpose', 'a', a, { min = 1, max = 2 })
    check.int('transpose', 'b', b, { min = 1, max = 2 })
    if a == b then return self end
  end
  return turned(recompressed(self))
end

--- Returns a part of the rows or columns.
-- @int dim 1 for rows, 2 for columns
-- @int first
-- @int count
function Compressed:narrow(dim, first, count)
  checks.range('narrow', self._sizes, dim, first, count)
  local own = formats[self._format]
  if dim ~= own.major then return self:_like(self:coo():narrow(dim, first, count)) end
  local positions, index = self:_parts()
  positions = positions:narrow(1, first, count + 1)
  local begin, last = tonumber(positions[1]), tonumber(positions[count + 1])
  local sizes = oriented(own, { count, self._sizes[3 - own.major] })
  return make(self._format, positions - (begin - 1), index:narrow(1, begin, last - begin),
    torch.narrow(self._values, 1, begin, last - begin), sizes, self._isSorted)
end

-- Returns the product of the matrix, or of its transpose, with a dense vector or matrix. A matrix in compressed columns is the transpose of
-- one in compressed rows, of the same parts.
function Compressed:_product(x, isTransposed)
  local first, index, sizes = self:_parts()
  if (self._format == 'csr') ~= isTransposed then return torch.csrMatmul(first, index, self._values, x) end
  return torch.csrTransposedMatmul(first, index, self._values, x, sizes[2])
end

return Compressed
