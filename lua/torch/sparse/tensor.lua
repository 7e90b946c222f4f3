--- The methods of sparse tensors of all formats: `torch.SparseCOO`, `torch.SparseCSR`, `torch.SparseCSC`, `torch.SparseBSR` and
-- `torch.SparseDIA`. They leave the tensor alone and keep its format; with two sparse operands the result has the format of the first one.
-- Results of blocks and diagonals with other places are in compressed rows. Operators are those of dense tensors: s + t, s - t, -s,
-- s * number, s / number, and s * x, the product with a vector or matrix. Functions of torch accept sparse tensors where a method of their
-- name exists: torch.mm(s, x), torch.abs(s).
-- @classmod torch.Sparse
local torch, check, ffi = require 'torch', require 'torch.check', require 'ffi'
local checks = require 'torch.sparse.checks'

local Sparse = torch.class 'torch.Sparse'
Sparse.__givesWay = true

local function coordinates(...) return torch.SparseCOO._make(...) end

-- Returns a tensor in the format of another one; compressed rows instead of blocks and diagonals.
local function like(self, s)
  local format = self:format()
  return format == 'coo' and s:coo() or format == 'csc' and s:csc() or s:csr()
end
Sparse._like = like

--- Returns the sizes, or that of a dimension.
-- @int[opt] dim negative ones count from the end
-- @return a torch.LongStorage, or a number
function Sparse:size(dim)
  if dim == nil then return torch.LongStorage(self._sizes) end
  check.int('size', 'dim', dim, { min = -#self._sizes, max = #self._sizes })
  return check.that(self._sizes[dim < 0 and dim + 1 + #self._sizes or dim], 'size: dim: 0, expected a dimension from 1', 'range')
end

--- Returns the number of dimensions.
function Sparse:dim() return #self._sizes end

--- Returns the number of dimensions in which entries have a position: all.
function Sparse:sparseDim() return #self._sizes end

--- Returns the number of dimensions of an entry: 0, as entries are numbers.
function Sparse:denseDim() return 0 end      -- luacheck: ignore 212

--- Returns the number of places, with and without entries.
function Sparse:nElement()
  local count = 1
  for _, size in ipairs(self._sizes) do count = count * size end
  return count
end

--- Returns the number of entries.
function Sparse:nnz() return self._values:size(1) end

--- Returns the values of the entries, not a copy.
function Sparse:values() return self._values end

--- Returns the type of the values; with a name, the tensor with values of another type.
-- @string[opt] name such as 'torch.FloatTensor'
function Sparse:type(name)
  if name == nil then return self._values:type() end
  return self:_with(check.call(self._values.type, self._values, check.text('type', 'name', name)))
end

--- Returns the tensor with values of another one's type.
-- @param other a tensor, dense or sparse
function Sparse:typeAs(other) return self:type(other:type()) end

--- Returns the tensor with values of type double.
function Sparse:double() return self:type 'torch.DoubleTensor' end

--- Returns the tensor with values of type float.
function Sparse:float() return self:type 'torch.FloatTensor' end

--- Returns a copy. Gradients of its values go to those of this tensor.
function Sparse:clone()
  local copy = self:_with(torch.clone(self._values))
  for _, name in ipairs { '_indices', '_rows', '_columns', '_offsets' } do copy[name] = self[name] and self[name]:clone() end
  copy._sizes = { unpack(self._sizes) }
  return copy
end

--- Returns a dense tensor, as `dense` does.
function Sparse:toDense() return self:dense() end

--- Returns the tensor in a format.
-- @string[opt='coo'] format 'coo', or of a matrix 'csr', 'csc', 'bsr' or 'dia'
-- @int[opt] rows of a block, for 'bsr'
-- @int[opt=rows] columns of a block
function Sparse:sparse(format, rows, columns)
  format = check.choice('sparse', 'format', format or 'coo', { 'coo', 'csr', 'csc', 'bsr', 'dia' })
  return self[format](self, rows, columns)
end

--- Returns the tensor by coordinates.
-- @treturn torch.SparseCOO
function Sparse:coo() return self:csr():coo() end

--- Returns a matrix in compressed columns.
-- @treturn torch.SparseCSC
function Sparse:csc() return self:csr():csc() end

--- Returns a matrix in blocks; places of a block without an entry get 0.
-- @int rows of a block
-- @int[opt=rows] columns of a block
-- @treturn torch.SparseBSR
-- @raise if the size of a block doesn't divide that of the matrix
function Sparse:bsr(rows, columns) return require('torch.sparse.conversions').blocks(self:csr():coalesce(), rows, columns or rows) end

--- Returns a matrix of diagonals: those that have entries.
-- @treturn torch.SparseDIA
function Sparse:dia() return require('torch.sparse.conversions').diagonals(checks.matrix('dia', self):coo():coalesce()) end

--- Returns a dense tensor.
-- @treturn torch.Tensor
function Sparse:dense() return self:coo():dense() end

--- Returns the places of the entries, a LongTensor (dimensions, entries).
function Sparse:indices() return self:coo():indices() end

--- Returns whether places are distinct and in order.
function Sparse:isCoalesced() return false end       -- luacheck: ignore 212

--- Returns the tensor with the values of equal places added up, in order.
function Sparse:coalesce() return self:csr():coalesce() end

--- Returns a matrix with rows and columns exchanged.
function Sparse:transpose(a, b) return like(self, self:csr():transpose(a, b)) end

--- Returns a part of a dimension.
-- @int dim 1 for rows, 2 for columns
-- @int first position
-- @int count
function Sparse:narrow(dim, first, count) return like(self, self:csr():narrow(dim, first, count)) end

--- Returns the tensor in a format, as `sparse` does.
Sparse.toSparse = Sparse.sparse

--- Returns a matrix transposed.
function Sparse:t() return checks.matrix('t', self):transpose(1, 2) end

--- Returns whether a sparse tensor has the same sizes, places and values; entries of value 0 count as places.
-- @param other a sparse tensor of any format
-- @treturn boolean
function Sparse:equal(other)
  local a, b = self:coo():coalesce(), checks.sparse('equal', 'other', other):coo():coalesce()
  if #a._sizes ~= #b._sizes or a:nnz() ~= b:nnz() then return false end
  for d, size in ipairs(a._sizes) do
    if b._sizes[d] ~= size then return false end
  end
  return torch.equal(a._indices, b._indices) and torch.equal(a._values, b._values)
end

-- Functions that map 0 to 0, so that entries alone change.
local functions = [[
  abs asin asinh atan atanh ceil conj deg2rad erf expm1 floor frac imag log1p neg rad2deg real relu round sgn sign sin sinh sqrt square tan
  tanh trunc
]]
-- A function of sums is not the sum of functions: the places are those of the coalesced tensor.
for name in functions:gmatch '%S+' do
  Sparse[name] = function(self)
    local s = self:coalesce()
    return s:_with(torch[name](s._values))
  end
end

--- Returns the tensor with each value raised to a power above 0.
-- @number exponent
function Sparse:pow(exponent)
  check.that(check.number('pow', 'exponent', exponent) > 0, ('pow: exponent: %s, expected a number above 0'):format(exponent), 'range')
  local s = self:coalesce()
  return s:_with(torch.pow(s._values, exponent))
end

local function isNumber(value)
  return type(value) == 'number' or torch.isTensor(value) and value:nElement() == 1 and value:dim() == 1 or ffi.istype('complex', value)
end

--- Returns the tensor times a number.
-- @number factor
function Sparse:mul(factor)
  check.that(isNumber(factor), ('mul: factor: %s, expected a number'):format(check.describe(factor)))
  if torch.isTensor(factor) then
    return self:_with(torch.cmul(self._values, torch.expand(torch.view(factor, torch.LongStorage(self._values:dim()):fill(1)),
      self._values:size())))
  end
  return self:_with(torch.mul(self._values, factor))
end

--- Returns the tensor divided by a number.
-- @number divisor
function Sparse:div(divisor)
  check.that(isNumber(divisor), ('div: divisor: %s, expected a number'):format(check.describe(divisor)))
  return self:_with(torch.div(self._values, divisor))
end

-- Returns the places and values of both, one after the other, values of a common type.
local function joined(a, b)
  local indices = torch.cat(a._indices, b._indices, 2)
  local name = torch.promoteTypes(a:type(), b:type())
  return indices, torch.cat(a:type(name)._values, b:type(name)._values, 1)
end

--- Returns the sum with another tensor of the same sizes.
-- @param other sparse, for a sparse result; or dense, for a dense one
-- @number[opt=1] factor of other
function Sparse:add(other, factor)
  if torch.isTensor(other) then
    checks.same('add', 'other', other:size():totable(), self._sizes)
    return torch.add(self:dense(), torch.mul(other, factor or 1))
  end
  checks.same('add', 'other', checks.sparse('add', 'other', other)._sizes, self._sizes)
  if factor and factor ~= 1 then other = other:mul(factor) end
  local indices, values = joined(self:coo(), other:coo())
  return like(self, coordinates(indices, values, self._sizes):coalesce())
end

--- Returns the difference to another tensor of the same sizes, as `add` does.
-- @param other
function Sparse:csub(other) return self:add(other, -1) end

--- Returns the difference to another tensor, as `csub` does.
Sparse.sub = Sparse.csub

-- Returns the entries of two coalesced tensors in places that both have.
local function matched(a, b)
  local count = a._indices:size(2)
  local order, places, numbers = torch.SparseCOO._arranged(torch.cat(a._indices, b._indices, 2), a._sizes)
  if not numbers then return end
  local n = numbers:size(1)
  local at = numbers:narrow(1, 2, n - 1):eq(numbers:narrow(1, 1, n - 1)):nonzero():view(-1)
  return places:index(2, at), order:index(1, at), order:index(1, at + 1) - count
end

--- Returns the product of elements with another tensor of the same sizes, sparse or dense, or with a number.
-- @param other
function Sparse:cmul(other)
  if isNumber(other) then return self:mul(other) end
  local format = self:format()
  if format ~= 'coo' and format ~= 'csr' then return like(self, self:csr():cmul(other)) end
  if torch.isTensor(other) then
    checks.same('cmul', 'other', other:size():totable(), self._sizes)
    if self:nnz() == 0 then return self end
    return self:_with(torch.cmul(self._values, torch.index(torch.reshape(other, other:nElement()), 1, self:coo():_linear())))
  end
  checks.same('cmul', 'other', checks.sparse('cmul', 'other', other)._sizes, self._sizes)
  local a, b = self:coo():coalesce(), other:coo():coalesce()
  local places, left, right
  if a:nnz() > 0 and b:nnz() > 0 then places, left, right = torch.noGrad(matched, a, b) end
  if not places then places, left, right = torch.LongTensor(#a._sizes, 0), torch.LongTensor(0), torch.LongTensor(0) end
  local values = torch.cmul(torch.index(a._values, 1, left), torch.index(b._values, 1, right))
  return like(self, coordinates(places, values, self._sizes, true))
end

--- Returns the sum of all values, or the sums along a dimension, which stays with size 1, as a dense tensor.
-- @int[opt] dim
function Sparse:sum(dim)
  if dim == nil then return torch.sum(self._values) end
  check.int('sum', 'dim', dim, { min = 1, max = #self._sizes })
  local coo, sizes = self:coo(), { unpack(self._sizes) }
  sizes[dim] = 1
  local indices = coo._indices:clone()
  if coo:nnz() > 0 then indices[dim]:fill(1) end
  return coordinates(indices, coo._values, sizes):dense()
end

--- Returns the mean of all places, or the means along a dimension, which stays with size 1, as a dense tensor.
-- @int[opt] dim
function Sparse:mean(dim)
  local sum = self:sum(dim)
  local count = dim and self._sizes[dim] or self:nElement()
  return type(sum) == 'number' and sum / count or torch.div(sum, count)
end

--- Returns the largest element, with the places that have no entry as 0.
function Sparse:max()
  local values = self:coalesce()._values
  if values:nElement() == 0 then return 0 end
  local most = torch.max(values)
  return values:nElement() < self:nElement() and most < 0 and 0 or most
end

--- Returns the smallest element, with the places that have no entry as 0.
function Sparse:min()
  local values = self:coalesce()._values
  if values:nElement() == 0 then return 0 end
  local least = torch.min(values)
  return values:nElement() < self:nElement() and least > 0 and 0 or least
end

--- Returns the norm of all elements.
-- @number[opt=2] p 1 or more
function Sparse:norm(p)
  check.number('norm', 'p', p or 2, { min = 1 })
  local values = self:coalesce()._values
  if values:isComplex() then values = torch.abs(values) end
  return values:nElement() == 0 and 0 or torch.norm(values, p or 2)
end

--- Returns the elements of a matrix's diagonal as a dense vector.
function Sparse:diag()
  local coo = checks.matrix('diag', self):coo()
  local count = math.min(coo._sizes[1], coo._sizes[2])
  local at = coo:nnz() > 0 and coo._indices[1]:eq(coo._indices[2]):nonzero()
  if not at or at:nElement() == 0 then return coo._values:detach().new(count):zero() end
  at = at:view(-1)
  return torch.indexAdd(coo._values:detach().new(count):zero(), 1, coo._indices[1]:index(1, at), torch.index(coo._values, 1, at))
end

--- Returns the sum of a matrix's diagonal.
function Sparse:trace() return torch.sum(self:diag()) end

-- The tensor without some dimensions of size 1.
function Sparse:_without(dims)
  local dropped, kept, sizes = {}, {}, {}
  for _, d in ipairs(dims) do dropped[d] = true end
  for d, size in ipairs(self._sizes) do
    if not dropped[d] then kept[#kept + 1], sizes[#sizes + 1] = d, size end
  end
  local coo = self:coo()
  return coordinates(coo._indices:index(1, torch.LongTensor(kept)), coo._values, sizes, coo._isCoalesced)
end

--- Returns a slice, a sparse tensor by coordinates with a dimension less.
-- @int dim negative ones count from the end
-- @int position negative ones count from the end
function Sparse:select(dim, position)
  local count = #self._sizes
  check.that(count > 1, 'select: self: 1 dimension, expected 2 or more', 'shape')
  dim = check.int('select', 'dim', dim, { min = -count, max = count })
  check.that(dim ~= 0, 'select: dim: 0, expected a dimension from 1', 'range')
  dim = dim < 0 and dim + count + 1 or dim
  local size = self._sizes[dim]
  position = check.int('select', 'position', position, { min = -size, max = size })
  check.that(position ~= 0, 'select: position: 0, expected one from 1', 'range')
  return self:coo():narrow(dim, position < 0 and position + size + 1 or position, 1):_without { dim }
end

-- s[i], s[{ i, j }], s[{ { 1, 3 }, {} }]: a number if all dimensions have a position, else a sparse tensor.
function Sparse:__index__(key)
  if type(key) == 'string' then return nil, false end
  return require 'torch.sparse.part'(self, key), true
end

function Sparse:__newindex__(key)
  if type(key) == 'string' then return false end
  check.raise 'index: self: a sparse tensor, whose elements no assignment changes: s:dense() makes a dense one'
end

--- Returns rows of a matrix, in any order and also repeatedly.
-- @tparam torch.LongTensor index
function Sparse:indexRows(index)
  checks.matrix('indexRows', self)
  checks.longs('indexRows', 'index', index, 1)
  local count, n = self._sizes[1], index:size(1)
  if n > 0 and (tonumber(index:min()) < 1 or tonumber(index:max()) > count) then
    check.raise(('indexRows: index: %d to %d, expected 1 to %d'):format(tonumber(index:min()), tonumber(index:max()), count), 'range')
  end
  local selection = torch.SparseCSR._make(torch.range(1, n + 1):long(), index, self._values:detach().new(n):fill(1), { n, count }, true)
  return like(self, selection:mm(self:csr()))
end

-- Returns the product of the matrix, or of its transpose, with a dense vector or matrix.
function Sparse:_product(x, isTransposed) return self:csr():_product(x, isTransposed) end

-- Checks an operand of a product with a matrix, or its transpose.
local function checkRows(s, other, isTransposed)
  local rows, expected = other:dim() > 0 and other:size(1), s._sizes[isTransposed and 1 or 2]
  if rows ~= expected then
    check.raise(('mm: other: %s rows, expected %d, the number of columns'):format(rows or 'no', expected), 'shape')
  end
end

--- Returns the product with a vector, a dense matrix or a sparse matrix.
-- @param other a dense tensor (m) or (m, k) for a dense result, or a sparse matrix (m, k) for a sparse one
function Sparse:mm(other)
  checks.matrix('mm', self)
  if torch.isTensor(other) then
    checkRows(self, other)
    return self:_product(other, false)
  end
  checkRows(self, checks.matrix('mm', checks.sparse('mm', 'other', other), 'other'))
  local a, b = self:csr(), other:csr()
  local first, columns, values = torch.csrProduct(a._rows, a._columns, a._values, b._rows, b._columns, b._values, b._sizes[2])
  return like(self, torch.SparseCSR._make(first, columns, values, { a._sizes[1], b._sizes[2] }, true))
end

--- Returns the product with a vector, as `mm` does.
Sparse.mv = Sparse.mm

--- Returns the product with a vector or matrix, as `mm` does.
Sparse.matmul = Sparse.mm

--- Returns the tensor without entries whose values are 0, or at most `limit` in magnitude, coalesced.
-- @number[opt=0] limit
function Sparse:prune(limit)
  local coo = self:coo():coalesce()
  if coo:nnz() == 0 then return self end
  local kept = torch.noGrad(function() return torch.abs(coo._values:detach()):gt(limit or 0):nonzero() end)
  kept = kept:nElement() > 0 and kept:view(-1) or torch.LongTensor(0)
  return like(self, coordinates(coo._indices:index(2, kept), torch.index(coo._values, 1, kept), coo._sizes, true))
end

--- Declares the values as a leaf of the tape: `s:grad()` is then the gradient of a backward pass.
-- @return self
function Sparse:requiresGrad()
  check.call(self._values.requiresGrad, self._values)
  return self
end

--- Returns the gradient of the values as a sparse tensor with this tensor's places; nil without one.
function Sparse:grad()
  local g = self._values.grad
  return g and self:_with(g)
end

-- The most entries that are printed.
local shown = 40

function Sparse:__tostring__()
  local lines, coo = {}, self:coo()
  local values = coo._values:detach()
  for e = 1, math.min(shown, self:nnz()) do
    local place = {}
    for d = 1, #self._sizes do place[d] = ('%d'):format(tonumber(coo._indices[d][e])) end
    local value = values[e]
    local text = ffi.istype('complex', value) and ('%.5g%+.5gi'):format(value.re, value.im) or ('%.5g'):format(tonumber(value))
    lines[e] = ('(%s)  %s'):format(table.concat(place, ', '), text)
  end
  if self:nnz() > shown then lines[#lines + 1] = ('... %d entries more'):format(self:nnz() - shown) end
  lines[#lines + 1] = ('[sparse %s of size %s, %s, %d entries]'):format(self:type(), table.concat(self._sizes, 'x'), self:format(),
    self:nnz())
  return table.concat(lines, '\n')
end

-- dense * sparse: the transpose of sparse' * dense'.
local function fromLeft(x, s, where, name)
  check.tensor(where or 'mm', name or 'x', x)
  checks.matrix('mm', s)
  local isVector = x:dim() == 1
  if not isVector then x = torch.t(x):contiguous() end
  checkRows(s, x, true)
  local product = s:_product(x, true)
  return isVector and product or torch.t(product)
end

-- A tensor of one element is a number, unless it is a vector or matrix for the product with a single column or row.
local function product(a, b)
  local isVector = checks.isSparse(a) and torch.isTensor(b) and a._sizes[2] == 1
    or checks.isSparse(b) and torch.isTensor(a) and b._sizes[1] == 1
  if not isVector and (isNumber(b) or isNumber(a)) then
    if checks.isSparse(a) then return a:mul(b) end
    return b:mul(a)
  end
  return checks.isSparse(a) and a:mm(b) or fromLeft(a, b, '*', 'the left operand')
end

Sparse.__add__ = function(a, b)
  if checks.isSparse(a) then return a:add(b) end
  return b:add(a)
end
Sparse.__sub__ = function(a, b)
  if checks.isSparse(a) then return a:csub(b) end
  return torch.csub(check.tensor('-', 'the left operand', a), b:dense())
end
Sparse.__mul__ = product
Sparse.__div__ = function(a, b) return checks.sparse('/', 'the left operand', a):div(b) end
Sparse.__unm__ = function(a) return a:neg() end
Sparse.__eq__ = rawequal

-- Checks that an operand is a tensor, dense or sparse.
local function operand(where, name, x)
  if not torch.isTensor(x) and not checks.isSparse(x) then
    check.raise(('%s: %s: %s, expected a tensor or a sparse tensor'):format(where, name, check.describe(x)))
  end
  return x
end

local function addmm(m, a, b)
  for i, x in ipairs { operand('addmm', 'm', m), operand('addmm', 'a', a), operand('addmm', 'b', b) } do
    if x:dim() ~= 2 then check.raise(('addmm: %s: %d dimensions, expected a matrix'):format(('mab'):sub(i, i), x:dim()), 'shape') end
  end
  local sum = torch.mm(a, b)
  return torch.add(checks.isSparse(m) and m:dense() or m, checks.isSparse(sum) and sum:dense() or sum)
end

-- The op of nn.Linear on a sparse matrix, whose rows are vectors.
local function linear(input, weight, bias)
  if not checks.isSparse(input) then error('linear: a sparse weight, expected a dense one', 0) end
  checks.matrix('linear', input, 'input')
  if torch.isTensor(weight) and weight:dim() == 2 and weight:size(2) ~= input:size(2) then
    check.raise(('linear: input: %d columns, expected %d'):format(input:size(2), weight:size(2)), 'shape')
  end
  local output = input:_product(torch.t(weight), false)
  return bias and torch.add(output, torch.expand(torch.view(bias, 1, -1), output:size())) or output
end

-- Ops on a dense tensor and a sparse one.
local mixed = {
  mul = product, mm = function(x, s) return fromLeft(x, s) end, add = Sparse.__add__, csub = Sparse.__sub__,
  cmul = function(x, s) return s:cmul(x) end,
  matmul = function(x, s) return fromLeft(x, s, 'matmul') end, addmm = addmm, linear = linear,
}

-- Ops by their functions of torch: torch.mm(s, x) is s:mm(x).
function Sparse.__onOp(name, first, ...)
  local method = mixed[name]
  if name ~= 'addmm' and name ~= 'linear' and checks.isSparse(first) then method = first[name] end
  if not method then error(('%s: a sparse tensor, which this op does not accept: s:dense() makes a dense one'):format(name), 0) end
  return method(first, ...)
end

return Sparse
