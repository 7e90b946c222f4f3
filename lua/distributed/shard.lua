--- A range of the elements of a tensor that is spread over ranks, for distributed.save and distributed.load.
-- @module distributed.shard
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'

local shard = {}

local Shard = {}
Shard.__index = Shard

--- Returns the number of elements of the whole tensor.
function Shard:nElement() return shard.total(self) end

--- Returns a range of the whole tensor's elements, which this rank must have.
-- @int first number of elements before it
-- @int count
-- @treturn torch.Tensor a vector, which shares memory with the shard
function Shard:read(first, count)
  check.int('torch.distributed.shard: read', 'first', first, { min = 0 })
  check.int('torch.distributed.shard: read', 'count', count, { min = 0 })
  local last = self.first + self.tensor:nElement()
  if first < self.first or first + count > last then
    check.raise(('torch.distributed.shard: read: elements %d to %d, expected some of %d to %d'):format(first + 1, first + count,
      self.first + 1, last))
  end
  return self.tensor:contiguous():view(-1):narrow(1, first - self.first + 1, count)
end

check.methods(Shard, 'a shard of torch.distributed.shard')

--- Returns whether a value is a shard.
function shard.is(value) return type(value) == 'table' and getmetatable(value) == Shard end

--- Returns a rank's range of the elements of a tensor, in whose place `save` and `load` accept it.
-- @tparam torch.Tensor x the elements, in order
-- @int first number of elements of the whole tensor before them
-- @tparam {int,...}|torch.LongStorage sizes of the whole tensor
-- @treturn table
function shard.new(x, first, sizes)
  local where = 'torch.distributed.shard'
  check.tensor(where, 'x', x)
  if torch.type(sizes) == 'torch.LongStorage' then sizes = sizes:totable() end
  check.table(where, 'sizes', sizes)
  local total = #sizes > 0 and 1 or 0
  for i, size in ipairs(sizes) do total = total * check.int(where, ('sizes: [%d]'):format(i), size, { min = 0 }) end
  check.int(where, 'first', first, { min = 0 })
  if first + x:nElement() > total then
    check.raise(('%s: first: elements %d to %d, expected some of %d'):format(where, first + 1, first + x:nElement(), total))
  end
  return setmetatable({ tensor = x, first = first, sizes = sizes }, Shard)
end

--- Returns what describes a tensor or a shard in a manifest.
-- @param value
-- @treturn table `type`, `sizes` of the whole, `first`, `count`
function shard.describe(value)
  local x = shard.is(value) and value.tensor or value
  local sizes = {}
  for i = 1, x:dim() do sizes[i] = x:size(i) end
  return {
    type = x:type():sub(7), sizes = shard.is(value) and value.sizes or sizes, first = shard.is(value) and value.first or 0,
    count = x:nElement(),
  }
end

--- Returns the number of elements of a described tensor.
function shard.total(described)
  local total = #described.sizes > 0 and 1 or 0
  for _, size in ipairs(described.sizes) do total = total * size end
  return total
end

local types = {}
for _, info in ipairs(C.dtypes) do types[info.torch .. 'Tensor'] = true end

--- Returns whether a name is that of a type of tensors.
function shard.isType(name) return types[name] or false end

--- Returns a described tensor's type and sizes in words.
function shard.words(described)
  return ('%s of %s'):format(described.type, #described.sizes > 0 and table.concat(described.sizes, ' x ') or 'no elements')
end

--- Returns a tensor on the CPU with a range of the elements of a tensor or shard, which may share its memory.
-- @param value
-- @int first number of elements of the whole tensor before them
-- @int count
function shard.range(value, first, count)
  if shard.is(value) then value, first = value.tensor, first - value.first end
  local part = C.detach(value):contiguous():view(-1):narrow(1, first + 1, count)
  return part:device() == 'cpu' and part or torch.to(part, 'cpu')
end

--- Returns a new tensor of a described type.
-- @tparam table described
-- @param ... sizes
function shard.room(described, ...) return torch[described.type](...) end

return shard
