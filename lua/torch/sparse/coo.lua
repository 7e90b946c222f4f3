--- Sparse tensors by coordinates: an index for each entry and dimension, and a value. Entries of the same place add up; `coalesce` adds
-- them. Sparse tensors share no memory with each other's methods' results unless these say so, and methods don't change them.
-- @usage local s = torch.sparse.coo(torch.LongTensor { { 1, 3 }, { 2, 1 } }, torch.Tensor { 5, 7 }, { 3, 2 })
-- print(s:dense())      --> 5 at row 1, column 2; 7 at row 3, column 1
-- @classmod torch.SparseCOO
local torch, check = require 'torch', require 'torch.check'
local checks = require 'torch.sparse.checks'

local Sparse = require 'torch.sparse.tensor'
local COO = torch.class('torch.SparseCOO', 'torch.Sparse')
COO.__givesWay, COO.__onOp = true, Sparse.__onOp

-- Returns a tensor of checked parts. With isCoalesced, places are distinct, and ascend row by row.
function COO._make(indices, values, sizes, isCoalesced)
  return setmetatable({ _indices = indices, _values = values, _sizes = sizes, _isCoalesced = isCoalesced or nil }, COO)
end

--- @tparam torch.LongTensor indices (d, n): the places of n entries in d dimensions, counted from 1; not copied
-- @tparam torch.Tensor values (n); not copied. Gradients with respect to them go through all methods that give tensors of floats
-- @tparam[opt] {int,...}|torch.LongStorage sizes default: the largest indices
-- @raise if an index is beyond its size, or lengths differ
function COO:__init(indices, values, sizes)
  local where = 'torch.sparse.coo'
  checks.longs(where, 'indices', indices, 2)
  checks.values(where, values, indices:size(2))
  if sizes == nil then
    if indices:size(2) == 0 then check.raise(where .. ': sizes: nil, expected sizes, as there are no entries') end
    sizes = torch.noGrad(indices.max, indices, 2):view(-1):totable()
    for d, size in ipairs(sizes) do sizes[d] = tonumber(size) end
  end
  sizes = checks.sizes(where, sizes)
  if #sizes ~= indices:size(1) then
    check.raise(('%s: indices: %d rows, expected %d, one for each size'):format(where, indices:size(1), #sizes), 'shape')
  end
  torch.noGrad(checks.places, where, indices, sizes)
  self._indices, self._values, self._sizes = indices, values, sizes
end

COO.__read = checks.reader { '_indices', '_values', '_sizes' }

--- Returns the places of the entries, a LongTensor (d, n), not a copy.
function COO:indices() return self._indices end

--- Returns the format's name, 'coo'.
function COO:format() return 'coo' end      -- luacheck: ignore 212

--- Returns whether places are distinct and in row-major order.
function COO:isCoalesced() return self._isCoalesced == true end

-- Returns the order that sorts places, row by row, or nil if there are none.
local function sorted(indices, sizes)
  local order
  for d = #sizes, 1, -1 do
    local index = indices[d]
    if order then index = torch.index(index, 1, order) end
    local _, step
    if sizes[d] <= 4 * index:size(1) + 65536 then
      _, step = torch.bucketSort(index, sizes[d])
    else
      _, step = torch.sort(index)
    end
    order = order and torch.index(order, 1, step) or step
  end
  return order
end

-- Returns for entries in order the number of their place among the distinct ones, and a mask of the first of each; nil if all are distinct.
local function groups(indices)
  local count = indices:size(2)
  local changes = torch.ne(indices:narrow(2, 2, count - 1), indices:narrow(2, 1, count - 1)):max(1):view(-1)
  if changes:min() == 1 then return nil end
  local firsts = torch.ByteTensor(count):fill(1)
  firsts:narrow(1, 2, count - 1):copy(changes)
  return firsts:long():cumsum(), firsts
end

-- Returns the order of entries, the sorted places, and if places repeat the number of each entry's place and a mask of the first ones.
local function arranged(indices, sizes)
  local order = sorted(indices, sizes)
  local places = indices:index(2, order)
  return order, places, groups(places)
end
COO._arranged = arranged

--- Returns the tensor with the values of equal places added up, and places in row-major order.
-- @treturn torch.SparseCOO self if it is so already
function COO:coalesce()
  if self._isCoalesced then return self end
  if self:nnz() < 2 then return COO._make(self._indices, self._values, self._sizes, true) end
  local order, places, numbers, firsts = torch.noGrad(arranged, self._indices, self._sizes)
  local values = torch.index(self._values, 1, order)
  if numbers then
    local count = tonumber(numbers[numbers:size(1)])
    values = torch.indexAdd(values.new(count):zero(), 1, numbers, values)
    places = places:index(2, torch.noGrad(firsts.nonzero, firsts):view(-1))
  end
  return COO._make(places, values, self._sizes, true)
end

--- Returns the tensor itself.
function COO:coo() return self end

--- Returns a matrix in compressed rows.
-- @treturn torch.SparseCSR
function COO:csr()
  checks.matrix('csr', self)
  local s = self:coalesce()
  local rows = torch.bucketSort(s._indices[1], s._sizes[1])
  return torch.SparseCSR._make(rows, s._indices[2]:contiguous(), s._values, s._sizes, true)
end

-- Returns the position of each entry in a dense tensor's memory, from 1.
local function linear(self)
  local indices, sizes = self._indices, self._sizes
  local place = indices[1]:clone()
  for d = 2, #sizes do place:csub(1):mul(sizes[d]):add(indices[d]) end
  return place
end

-- Positions in the memory of a dense tensor.
function COO:_linear() return torch.noGrad(linear, self) end

local function elements(sizes)
  local count = 1
  for _, size in ipairs(sizes) do count = count * size end
  return count
end

--- Returns a dense tensor.
-- @treturn torch.Tensor
function COO:dense()
  local zeros = self._values:detach().new(elements(self._sizes)):zero()
  local flat = self:nnz() == 0 and zeros or torch.indexAdd(zeros, 1, self:_linear(), self._values)
  return torch.view(flat, torch.LongStorage(self._sizes))
end

-- Returns a tensor with the same places and other values.
function COO:_with(values) return COO._make(self._indices, values, self._sizes, self._isCoalesced) end

--- Returns the tensor with two dimensions exchanged; those of a matrix by default.
-- @int[opt=1] a
-- @int[opt=2] b
-- @treturn torch.SparseCOO
function COO:transpose(a, b)
  local bounds = { min = 1, max = #self._sizes }
  a, b = check.int('transpose', 'a', a or 1, bounds), check.int('transpose', 'b', b or 2, bounds)
  local order, sizes = {}, {}
  for d, size in ipairs(self._sizes) do order[d], sizes[d] = d, size end
  order[a], order[b], sizes[a], sizes[b] = b, a, sizes[b], sizes[a]
  return COO._make(torch.noGrad(self._indices.index, self._indices, 1, torch.LongTensor(order)), self._values, sizes)
end

local function inRange(indices, dim, first, last)
  local index = indices[dim]
  return torch.cmul(index:ge(first), index:le(last)):nonzero():view(-1)
end

--- Returns a part of a dimension.
-- @int dim
-- @int first position
-- @int count
-- @treturn torch.SparseCOO
function COO:narrow(dim, first, count)
  checks.range('narrow', self._sizes, dim, first, count)
  local kept = self:nnz() > 0 and torch.noGrad(inRange, self._indices, dim, first, first + count - 1) or torch.LongTensor(0)
  local indices, sizes = self._indices:index(2, kept), { unpack(self._sizes) }
  if kept:nElement() > 0 then indices[dim]:csub(first - 1) end
  sizes[dim] = count
  return COO._make(indices, torch.index(self._values, 1, kept), sizes, self._isCoalesced)
end

return COO
