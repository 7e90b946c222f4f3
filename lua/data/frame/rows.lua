--- Rows of a data frame by their numbers or by conditions. Methods of `data.Frame`.
-- @module data.frame.rows
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local expression = require 'data.frame.expression'
local keys = require 'data.frame.keys'
local loops = require 'data.frame.loops'

local rows = {}

-- Rows by an IntTensor of numbers, unchecked.
function rows._taken(self, indices)
  local rowNames = self.rowNames and column.take({ type = 'text', values = self.rowNames }, indices).values
  local longs = indices:long()
  return self:_of(function(c) return column.take(c, indices, false, longs) end, self.names, indices:nElement(), rowNames)
end

-- Numbers of rows as a LongTensor.
function rows._numbers(self, op, indices)
  if type(indices) == 'table' and not torch.isTensor(indices) then
    for i, value in ipairs(indices) do
      check.that(type(value) == 'number', ('%s: indices[%d]: %s, expected the number of a row'):format(op, i, check.describe(value)))
    end
    indices = #indices > 0 and torch.DoubleTensor(indices) or torch.DoubleTensor():resize(0)
  end
  check.tensor(op, 'indices', indices)
  local kind = indices:type()
  check.that(kind ~= 'torch.BoolTensor' and not kind:find 'Complex', ('%s: indices: a %s, expected numbers of rows%s'):format(op, kind,
    kind == 'torch.BoolTensor' and '; filter takes a mask' or ''))
  local n = self:size()
  if indices:nElement() > 0 then
    local isWhole = kind == 'torch.LongTensor' or torch.ne(indices, torch.floor(indices:double()):typeAs(indices)):max() == 0
    check.that(isWhole, op .. ': indices: expected whole numbers')
    local low, high = indices:min(), indices:max()
    check.that(low >= 1 and high <= n, ('%s: indices: %s, expected numbers from 1 to %d'):format(op, tostring(low < 1 and low or high), n))
  end
  return indices:long():contiguous():view(-1)
end

--- Rows by their numbers.
-- @function take
-- @tparam torch.LongTensor|{int,...} indices from 1 to size(), in any order, also repeated
-- @treturn data.Frame
function rows.take(self, indices) return self:_taken(self:_numbers('data.Frame:take', indices):int()) end

local function countOf(self, op, n)
  return math.min(n == nil and 5 or check.int(op, 'n', n, { min = 0 }), self:size())
end

--- The first rows.
-- @function head
-- @int[opt=5] n
-- @treturn data.Frame
function rows.head(self, n) return self:_taken(loops.range(1, countOf(self, 'data.Frame:head', n))) end

--- The last rows.
-- @function tail
-- @int[opt=5] n
-- @treturn data.Frame
function rows.tail(self, n)
  return self:_taken(loops.range(self:size() - countOf(self, 'data.Frame:tail', n) + 1, self:size()))
end

local function ofMask(self, mask)
  check.that(mask:nElement() == self:size(), ('data.Frame:filter: mask: %d elements, expected %d'):format(mask:nElement(), self:size()))
  return loops.places(mask:view(-1))
end

local function ofFunction(self, accept)
  local kept, count = loops.ints(self:size()), 0
  for i = 1, self:size() do
    if accept(self:get(i), i) then
      count = count + 1
      kept[count] = i
    end
  end
  return kept:resize(count)
end

--- The rows for which a condition is true.
-- @function filter
-- @tparam string|function|torch.ByteTensor|torch.BoolTensor accept an expression of Lua with the names of columns, as for `assign`; a
-- function of a row from `get` and its number; or a mask with one element per row. In expressions, comparisons with missing values, and
-- `not` of these, are missing, and such rows are left out; `x == nil` is true for a missing value
-- @treturn data.Frame
-- @usage flowers:filter "length > 5 and species == 'iris'"
-- flowers:filter(flowers.length:gt(5))
-- flowers:filter(function(row) return row.length > 5 end)
function rows.filter(self, accept)
  if type(accept) == 'string' then return self:_taken(expression.places(self, 'data.Frame:filter', accept)) end
  if torch.isTensor(accept) then return self:_taken(ofMask(self, accept)) end
  check.callable('data.Frame:filter', 'accept', accept)
  return self:_taken(ofFunction(self, accept))
end

--- The same as `filter`.
-- @function where
-- @param accept
-- @treturn data.Frame
rows.where = rows.filter

--- Rows drawn at random.
-- @function sample
-- @int[opt] count
-- @tparam[opt] table options `fraction` of the rows, without a count; `replacement` (a row may occur twice), `seed` (default: torch's
-- global generator)
-- @treturn data.Frame
function rows.sample(self, count, options)
  local op = 'data.Frame:sample'
  options = check.options(op, options, { 'replacement', 'seed', 'fraction' })
  local n = self:size()
  if options.fraction ~= nil then
    check.that(count == nil, op .. ': count: expected nil with the option fraction')
    count = math.floor(check.number(op, 'fraction', options.fraction, { min = 0 }) * n + 0.5)
  end
  check.int(op, 'count', count, { min = 0, max = (n == 0 or not options.replacement) and n or nil })
  if count == 0 then return self:head(0) end
  local generator = torch.Generator()
  torch.manualSeed(generator, options.seed and check.int(op, 'seed', options.seed) or torch.random())
  if options.replacement then return self:take(torch.LongTensor(count):random(generator, 1, n)) end
  return self:take(torch.randperm(generator, n):narrow(1, 1, count):long())
end

-- A mask of the rows that repeat another.
local function repeated(self, op, which, options)
  options = check.options(op, options, { 'keep' })
  local keep = check.choice(op, 'keep', options.keep or 'first', { 'first', 'last', 'none' })
  local names, n = self:_named(which), self:size()
  local mask = torch.BoolTensor():resize(n):zero()
  if #names == 0 or n == 0 then return mask end
  local codes, most = keys.ofAll(self:_records(names), false, true)
  local seen = torch.IntTensor(most + 1):zero()
  local c, s, m = codes:data(), seen:data(), mask:data()
  local first, last, step = 0, n - 1, 1
  if keep == 'last' then first, last, step = n - 1, 0, -1 end
  for i = first, last, step do
    local code = c[i]
    if s[code] > 0 then m[i] = 1 end
    s[code] = s[code] + 1
  end
  if keep == 'none' then
    for i = 0, n - 1 do
      if s[c[i]] > 1 then m[i] = 1 end
    end
  end
  return mask
end

--- Where rows repeat an earlier one. Missing values equal each other.
-- @function duplicated
-- @tparam[opt] string|int|{string|int,...} which columns to compare; default: all
-- @tparam[opt] table options `keep`: of equal rows, 'first' (default) and 'last' are not marked; 'none' marks all
-- @treturn torch.BoolTensor
function rows.duplicated(self, which, options) return repeated(self, 'data.Frame:duplicated', which, options) end

--- The rows without those that repeat an earlier one. Missing values equal each other.
-- @function dropDuplicates
-- @tparam[opt] string|int|{string|int,...} which columns to compare; default: all
-- @tparam[opt] table options `keep`: which of equal rows, 'first' (default), 'last' or 'none'
-- @treturn data.Frame
function rows.dropDuplicates(self, which, options)
  return self:_taken(loops.places(repeated(self, 'data.Frame:dropDuplicates', which, options):eq(0)))
end

return rows
