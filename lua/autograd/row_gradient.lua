--- The gradient of a tensor of which few rows were used, as nn.Embedding with `sparse = true` leaves it in the field `grad` of its weight:
-- positions and values of the rows. Its methods are those of PyTorch's sparse tensors with one sparse dimension. Values of a position that
-- occurs twice count as their sum; `coalesce` adds them.
-- @usage local table = nn.Embedding(1000, 16, { sparse = true }):requiresGrad()
-- torch.sum(table(torch.LongTensor { 3, 7, 3 })):backward()
-- print(table.weight.grad:coalesce():rows())      --> 3 and 7
-- @classmod torch.RowGradient
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local node, noGrad = require 'autograd.node', require('autograd.mode').noGrad
local messages = require 'torch.check.message'

local RowGradient = torch.class 'torch.RowGradient'
RowGradient.__givesWay = true
RowGradient._count = 0      -- of those that were created: while it is 0, optimisers need not look for them

local function checkSizes(where, rows, values, sizes)
  if rows:dim() ~= 1 then check.raise(('%s: rows: sizes %s, expected a vector'):format(where, messages.sizes(rows)), 'shape') end
  local expected = { rows:size(1) }
  for d = 2, #sizes do expected[d] = sizes[d] end
  expected = torch.LongStorage(expected)
  if not values:isSize(expected) then
    check.raise(('%s: values: sizes %s, expected %s'):format(where, messages.sizes(values), messages.listed(expected)), 'shape')
  end
  if rows:nElement() > 0 and (rows:min() < 1 or rows:max() > sizes[1]) then
    check.raise(('%s: rows: %d to %d, expected positions from 1 to %d'):format(where, rows:min(), rows:max(), sizes[1]), 'range')
  end
end

--- @tparam torch.LongTensor rows positions (k), from 1; not copied
-- @tparam torch.Tensor values (k, ...), floats; not copied
-- @tparam {int,...}|torch.LongStorage sizes of the whole gradient: the number of rows, then those of a row
-- @raise if a position or the sizes of the values don't fit
function RowGradient:__init(rows, values, sizes)
  local where = 'torch.RowGradient'
  check.tensor(where, 'rows', rows, { dtype = 'Long' })
  check.tensor(where, 'values', values)
  check.that(values:isFloatingPoint(), ('%s: values: a %s, expected a tensor of floats'):format(where, values:type()))
  if torch.typename(sizes) == 'torch.LongStorage' then sizes = sizes:totable() end
  check.table(where, 'sizes', sizes)
  checkSizes(where, rows, values, sizes)
  self._rows, self._values, self._sizes, self._isCoalesced = rows, values, sizes, rows:nElement() < 2
  RowGradient._count = RowGradient._count + 1
end

--- Returns the positions as a vector (k).
function RowGradient:rows() return self._rows end

--- Returns the positions as a matrix (1, k), as PyTorch's sparse tensors have them, but counted from 1.
function RowGradient:indices() return self._rows:view(1, -1) end

--- Returns the values (k, ...).
function RowGradient:values() return self._values end

--- Returns the sizes of the whole gradient, or that of a dimension.
-- @tparam[opt] int dim
function RowGradient:size(dim) return dim and self._sizes[dim] or torch.LongStorage(self._sizes) end

--- Returns the type of the values, or this gradient with values of another type.
-- @tparam[opt] string name
function RowGradient:type(name)
  if not name then return self._values:type() end
  return RowGradient(self._rows, self._values:type(name), self._sizes)
end

--- Returns whether each position occurs once, in ascending order.
function RowGradient:isCoalesced() return self._isCoalesced end

local function sumUp(rows, values)
  local distinct, places = torch.unique(rows)
  local sums = values.new():resize(torch.LongStorage { distinct:size(1), unpack(values:size():totable(), 2) }):zero()
  return distinct, sums:indexAdd(1, places, values)
end

--- Adds the values of positions that occur more than once, in place, and sorts the positions.
-- @treturn torch.RowGradient self
function RowGradient:coalesce()
  if not self._isCoalesced then
    self._rows, self._values = noGrad(sumUp, self._rows, self._values)
    self._isCoalesced = true
  end
  return self
end

local function added(rows, values, sizes)
  return values.new():resize(torch.LongStorage(sizes)):zero():indexAdd(1, rows, values)
end

--- Returns the whole gradient, a new tensor.
function RowGradient:toDense() return noGrad(added, self._rows, self._values, self._sizes) end

--- Adds the rows of another gradient in place.
-- @tparam torch.RowGradient other of the same sizes and type
-- @treturn torch.RowGradient self
function RowGradient:add(other)
  local same = torch.typename(other) == 'torch.RowGradient' and #other._sizes == #self._sizes and other:type() == self:type()
  for d = 1, same and #self._sizes or 0 do same = same and other._sizes[d] == self._sizes[d] end
  check.that(same, 'torch.RowGradient.add: other: another type or sizes, expected those of this gradient')
  noGrad(function()
    self._rows, self._values = torch.cat(self._rows, other._rows, 1), torch.cat(self._values, other._values, 1)
  end)
  self._isCoalesced = false
  return self
end

--- Multiplies by a number in place.
-- @number factor
-- @treturn torch.RowGradient self
function RowGradient:mul(factor)
  noGrad(self._values.mul, self._values, factor)
  return self
end

--- Clamps the sums of each element in place.
-- @number low
-- @number high
-- @treturn torch.RowGradient self
function RowGradient:clamp(low, high)
  local values = self:coalesce()._values
  noGrad(values.clamp, values, low, high)
  return self
end

--- Returns the norm of the whole gradient.
-- @tparam[opt=2] number p
-- @treturn number
function RowGradient:norm(p)
  local values = self:coalesce()._values
  return values:nElement() == 0 and 0 or values:norm(p or 2)
end

--- Returns a copy.
function RowGradient:clone() return RowGradient(self._rows:clone(), self._values:clone(), self._sizes) end

function RowGradient:__tostring__()
  return ('torch.RowGradient of %d rows of %s'):format(self._rows:size(1), messages.listed(torch.LongStorage(self._sizes)))
end

--- Whether a value is such a gradient.
-- @param value
function RowGradient.is(value) return torch.typename(value) == 'torch.RowGradient' end

--- Returns the rows of a leaf by their positions, on the tape, so that a backward pass leaves their gradient in the leaf's field `grad` as
-- rows. A leaf that already has a dense gradient gets them added to it.
-- @tparam torch.Tensor x a leaf
-- @tparam torch.LongTensor rows a vector
-- @tparam function keep (rows, gradient) -> those that count
-- @treturn torch.Tensor (k, ...)
function RowGradient.select(x, rows, keep)
  local leaf, sizes = C.node(x), x:size():totable()
  local used = noGrad(torch.index, x:detach(), 1, rows):requiresGrad()
  used:registerHook(function(g)
    local kept, values = keep(rows, g:detach())
    local dense = leaf.sink or node.gradient(leaf)
    if dense then
      noGrad(dense.indexAdd, dense, 1, kept, values)
    elseif leaf.rows then
      leaf.rows:add(RowGradient(kept, values, sizes))
    else
      leaf.rows = RowGradient(kept, values, sizes)
    end
  end)
  return used
end

return RowGradient
