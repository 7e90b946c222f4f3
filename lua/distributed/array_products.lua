--- Products of arrays over ranks.
-- @module distributed.array
local torch = require 'torch'
local meta, tensors = require 'distributed.array', require 'distributed.tensors'

local Array, wrap, refuse = meta._class, meta._wrap, meta._refuse

local panel = 512      -- rows of B that a rank has at once

local function needMatrix(name, self)
  if self:dim() ~= 2 then refuse(name, ('an array of %d dimensions, expected 2'):format(self:dim())) end
end

--- Returns the product of this matrix and another one. With an array, each rank sends its rows in panels to all, which add their products
-- (SUMMA with a column of ranks): beside its rows of the operands and the result, a rank has one panel.
-- Source: van de Geijn and Watts (1997), "SUMMA: scalable universal matrix multiplication algorithm", Concurrency 9.
-- @param b an array (k, n), or a tensor (k, n) or (k) that is the same on all ranks
-- @treturn Array (m, n) or (m), with the rows of this one
function Array:matmul(b)
  needMatrix('matmul', self)
  local rows, k = self._shard, self._shard:size(2)
  local isArray = meta._isArray(b)
  if not isArray and not torch.isTensor(b) then refuse('matmul', ('b: %s, expected an array or a tensor'):format(torch.type(b))) end
  if b:dim() == 0 or b:dim() > 2 or isArray and b:dim() ~= 2 or b:size(1) ~= k or b:type() ~= self:type() then
    refuse('matmul', ('b: a %s of %s, expected a %s of %d rows'):format(b:type():sub(7), table.concat(b:size():totable(), ' x '),
      self:type():sub(7), k))
  end
  if not isArray then return self:map(function(part) return (b:dim() == 1 and torch.mv or torch.mm)(part, b) end) end
  local result, at = rows.new(rows:size(1), b:size(2)):zero(), 0
  for place, count in ipairs(b._counts) do
    local source = self._group.ranks[place]
    for first = 1, count, panel do
      local size = math.min(panel, count - first + 1)
      local part = place == b._group:rank() + 1 and b._shard:narrow(1, first, size):contiguous() or rows.new(size, b:size(2))
      tensors.broadcast(part, source, { group = self._group })
      if rows:size(1) > 0 then result:addmm(rows:narrow(2, at + 1, size), part) end
      at = at + size
    end
  end
  return wrap(result, self._counts, self._group)
end

--- Returns A' B, for example the normal equations of a regression: one sum over the ranks of the products of their rows. Floats are
-- multiplied in float64.
-- @tparam[opt] Array b with the same rows, of one or two dimensions; by default this one
-- @treturn torch.Tensor the same on all ranks; of floats a DoubleTensor
function Array:gram(b)
  needMatrix('gram', self)
  b = b or self
  if not meta._isArray(b) or b:dim() > 2 or b:type() ~= self:type() then
    refuse('gram', ('b: %s, expected an array of one or two dimensions of the same type'):format(
      meta._isArray(b) and tostring(b) or torch.type(b)))
  end
  if b._rows ~= self._rows then refuse('gram', ('b: %d rows, expected %d'):format(b._rows, self._rows)) end
  local other = b:redistribute(self._counts)._shard
  local columns = other:dim() == 1 and other:contiguous():view(-1, 1) or other
  local part = meta._overBlocks(self._shard, function(rows, first)
    return torch.mm(rows:t(), columns:narrow(1, first, rows:size(1)):type(rows:type()))
  end)
  if not part then
    part = torch[self._shard:isFloatingPoint() and 'DoubleTensor' or self:type():sub(7)](self:size(2), columns:size(2)):zero()
  end
  local sum = tensors.allReduce(part, 'sum', { group = self._group })
  return other:dim() == 1 and sum:view(-1) or sum
end

return Array
