--- Arrays whose rows are spread over the ranks of a group, in order: rank r has a tensor with its rows. Operations of rows stay on their
-- rank; reductions along the rows give tensors that are the same on all ranks. All ranks of the group call each operation. Arrays don't
-- change.
-- @module distributed.array
-- @usage local a = dist.array(mine)      -- each rank's rows
-- local centred = a - a:mean(1)
-- print(centred:gram())      -- X' X, on all ranks
local torch = require 'torch'
local check = require 'torch.check'
local group, operation, objects = require 'distributed.group', require 'distributed.operation', require 'distributed.objects'

local meta = {}

local function message(name, what) return operation.message('array: ' .. name, what) end

local function refuse(name, what) check.raise(message(name, what)) end

local function isArray(value) return getmetatable(value) == meta end
meta._isArray = isArray

-- Returns an array of shards whose numbers of rows are known.
local function wrap(shard, counts, ranks)
  local self, total = setmetatable({ _shard = shard, _counts = counts, _group = ranks }, meta), 0
  local place = ranks:rank() + 1
  for i, count in ipairs(counts) do
    if i == place then self._before = total end
    total = total + count
  end
  self._rows = total
  return self
end
meta._wrap = wrap

-- Returns what is wrong with a tensor of rows, or nil.
function meta._shardProblem(x)
  if not torch.isTensor(x) then return check.describe(x) .. ', expected a tensor with rows along dimension 1' end
  if x:dim() == 0 then return 'a tensor without dimensions, expected rows along dimension 1' end
end

--- Makes an array of each rank's rows. All ranks of the group call it.
-- @tparam torch.Tensor shard this rank's rows, along dimension 1, of which there may be none; type and other sizes are the same on all
-- ranks. Its memory is the array's
-- @tparam[opt] table settings `group`
-- @treturn Array
-- @raise on all ranks, if types or sizes differ
function meta._new(shard, settings)
  settings = check.options('torch.distributed.array', settings, { 'group' })
  local ranks = group.of('array', settings)
  local problem = meta._shardProblem(shard)
  if problem then check.raise(operation.message('array', 'shard: ' .. problem)) end
  local sizes = shard:size():totable()
  local rows = table.remove(sizes, 1)
  local mine = ('%s, rows of %s'):format(shard:type():sub(7), #sizes > 0 and table.concat(sizes, ' x ') or 'one element')
  local all, counts = objects.allGatherObject({ mine, rows }, settings), {}
  for i, each in ipairs(all) do
    if each[1] ~= all[1][1] then
      check.raise(operation.message('array', ('shard: rank %d has a %s, expected as rank %d a %s'):format(ranks.ranks[i], each[1],
        ranks.ranks[1], all[1][1])))
    end
    counts[i] = each[2]
  end
  return wrap(shard, counts, ranks)
end

--- Returns the numbers of rows that ranks get of a total, which differ by at most 1.
-- @int total
-- @int count of ranks
-- @treturn {int,...}
function meta._even(total, count)
  local counts = {}
  for i = 1, count do counts[i] = math.floor(total / count) + (i <= total % count and 1 or 0) end
  return counts
end

local Array = {}
meta._class = Array

-- Returns a method that refuses other things than arrays, and whose errors inside the library are those of the program's line.
function meta._checked(name, method)
  return function(self, ...)
    if not isArray(self) then refuse(name, ('self: %s, expected an array: a:%s(...), with a colon'):format(check.describe(self), name)) end
    return check.call(method, self, ...)
  end
end

--- Returns this rank's rows, not a copy.
-- @treturn torch.Tensor
function Array:shard() return self._shard end

--- Returns the position of this rank's first row among all rows, from 1.
-- @treturn int
function Array:firstRow() return self._before + 1 end

--- Returns the sizes of the whole array, or that of a dimension.
-- @int[opt] dim
-- @return a torch.LongStorage, or a number
function Array:size(dim)
  local sizes = self._shard:size()
  sizes[1] = self._rows
  if dim == nil then return sizes end
  return sizes[check.int('torch.distributed.array: size', 'dim', dim, { min = 1, max = self:dim() })]
end

--- Returns the number of dimensions.
-- @treturn int
function Array:dim() return self._shard:dim() end

--- Returns the type of the elements, as of tensors; with a name, an array of that type.
-- @string[opt] name
-- @return
function Array:type(name)
  if not name then return self._shard:type() end
  return wrap(self._shard:type(name), self._counts, self._group)
end

-- Returns whether shards have the same numbers of rows.
function meta._sameCounts(a, b)
  for i, count in ipairs(a) do
    if count ~= b[i] then return false end
  end
  return true
end

-- Returns what a function of this rank's rows gets for an argument of an operation on arrays.
local function partOf(self, name, i, value)
  if isArray(value) then
    if value._rows ~= self._rows or value._group ~= self._group then
      refuse(name, ('argument %d: an array of %d rows, expected %d, on the same ranks'):format(i, value._rows, self._rows))
    end
    return value:redistribute(self._counts)._shard
  end
  if name ~= 'map' and torch.isTensor(value) and value:dim() >= self:dim() and value:size(1) ~= 1 then
    refuse(name, ('argument %d: %s, expected an array, or a tensor of one row'):format(i, operation.describe(value)))
  end
  return value
end

local function mapped(self, name, f, ...)
  local given = { n = select('#', ...), ... }
  for i = 1, given.n do given[i] = partOf(self, name, i, given[i]) end
  local result
  if name == 'map' then
    result = f(self._shard, unpack(given, 1, given.n))
  else
    result = check.call(f, self._shard, unpack(given, 1, given.n))
  end
  if not torch.isTensor(result) or result:dim() == 0 or result:size(1) ~= self._shard:size(1) then
    refuse(name, ('f: its result is %s, expected a tensor of %d rows'):format(
      torch.isTensor(result) and operation.describe(result) or torch.type(result), self._shard:size(1)))
  end
  return wrap(result, self._counts, self._group)
end

--- Returns an array of what a function of this rank's rows returns.
-- @tparam function f (rows, ...) -> a tensor of as many rows
-- @param ... further arguments: f gets the same rows of arrays, and other values as they are
-- @treturn Array
function Array:map(f, ...) return mapped(self, 'map', check.callable('torch.distributed.array: map', 'f', f), ...) end

-- Ops of elements: those in these files of the engine whose first argument is a tensor.
local families = { arithmetic = true, bits = true, compare = true, elementary = true, pointwise = true, power = true, rare = true,
  special = true }
local elementwise = {}

local function findElementwise(_, name)
  local known = type(name) == 'string' and torch.ops[name]
  local f = known and families[known.family] and torch[name]
  local method = f and meta._checked(name, function(self, ...) return mapped(self, name, f, ...) end) or false
  elementwise[name] = method
  return method
end
setmetatable(elementwise, { __index = findElementwise })

function meta.__index(_, name)
  if type(name) == 'number' then refuse('[]', ('%s, expected a:index(torch.LongTensor { %s })'):format(name, name)) end
  return Array[name] or elementwise[name] or nil
end
meta._mapped, meta._refuse = mapped, refuse

function meta.__add(a, b)
  if not isArray(a) then a, b = b, a end
  return mapped(a, 'add', torch.add, b)
end
function meta.__mul(a, b)
  if not isArray(a) then a, b = b, a end
  return mapped(a, 'mul', type(b) == 'number' and torch.mul or torch.cmul, b)
end
function meta.__sub(a, b)
  if not isArray(a) then return b:neg() + a end
  return mapped(a, 'sub', type(b) == 'number' and torch.add or torch.csub, type(b) == 'number' and -b or b)
end
function meta.__div(a, b)
  if not isArray(a) then return b:cinv() * a end
  return mapped(a, 'div', type(b) == 'number' and torch.div or torch.cdiv, b)
end
function meta.__unm(a) return a:neg() end

function meta.__tostring(self)
  return ('distributed.Array(a %s of %s, rows %d to %d on rank %d)'):format(self:type():sub(7), table.concat(self:size():totable(), ' x '),
    self._before + 1, self._before + self._shard:size(1), group.world:rank())
end

return meta
