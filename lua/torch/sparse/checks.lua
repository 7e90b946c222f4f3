--- Checks of the parts of sparse tensors.
-- @module torch.sparse.checks
local torch, check = require 'torch', require 'torch.check'
local messages = require 'torch.check.message'

local checks = {}

--- Checks positions: a LongTensor with a number of dimensions.
function checks.longs(where, name, x, dims)
  check.tensor(where, name, x)
  if x:type() ~= 'torch.LongTensor' then
    check.raise(('%s: %s: a %s, expected a torch.LongTensor'):format(where, name, x:type()), 'dtype')
  end
  if x:dim() ~= dims then
    check.raise(('%s: %s: sizes %s, expected a %s'):format(where, name, messages.sizes(x), dims == 1 and 'vector' or 'matrix'), 'shape')
  end
  return x
end

--- Checks values: one for each of `count` entries.
function checks.values(where, values, count)
  check.tensor(where, 'values', values)
  if values:dim() ~= 1 or values:size(1) ~= count then
    check.raise(('%s: values: sizes %s, expected [%d], an element for each entry'):format(where, messages.sizes(values), count), 'shape')
  end
  return values
end

--- Checks sizes; returns them as a list. A dense tensor of these sizes has at most 2^53 elements, so that positions in it are exact.
function checks.sizes(where, sizes, dims)
  if torch.typename(sizes) == 'torch.LongStorage' then sizes = sizes:totable() end
  check.table(where, 'sizes', sizes)
  local list, total = {}, 1
  for d, size in ipairs(sizes) do
    list[d] = check.int(where, 'sizes', tonumber(size), { min = 0 })
    total = total * math.max(1, list[d])
  end
  if #list == 0 or dims and #list ~= dims then
    check.raise(('%s: sizes: %d of them, expected %s'):format(where, #list, dims or '1 or more'), 'shape')
  end
  if total > 2 ^ 53 then check.raise(('%s: sizes: %.0f places, expected at most 2^53'):format(where, total), 'range') end
  return list
end

--- Checks compressed rows (or columns, or rows of blocks).
-- @string where
-- @tparam {string,string,string} names of the arguments, and the word for what is compressed
-- @tparam torch.LongTensor first positions of the first entries, and the number of entries + 1
-- @tparam torch.LongTensor index the place of each entry in its row
-- @tparam ?table sizes
-- @tparam ?torch.Tensor values one for each entry
-- @treturn {int,int} sizes
function checks.compressed(where, names, first, index, sizes, values)
  local rows, columns, row = unpack(names)
  checks.longs(where, rows, first, 1)
  checks.longs(where, columns, index, 1)
  local count, held = index:size(1), first:size(1)
  if values then checks.values(where, values, count) end
  local each = ('one for each %s and one more'):format(row)
  if held == 0 then check.raise(('%s: %s: no elements, expected %s'):format(where, rows, each), 'shape') end
  if sizes == nil then sizes = { held - 1, count > 0 and tonumber(index:max()) or 0 } end
  sizes = checks.sizes(where, sizes, 2)
  if held ~= sizes[1] + 1 then
    check.raise(('%s: %s: %d elements, expected %d, %s'):format(where, rows, held, sizes[1] + 1, each), 'shape')
  end
  local begin, last = tonumber(first[1]), tonumber(first[held])
  if begin ~= 1 or last ~= count + 1 then
    check.raise(('%s: %s: from %d to %d, expected from 1 to %d, the number of entries + 1'):format(where, rows, begin, last, count + 1),
      'range')
  end
  if sizes[1] > 0 and torch.lt(first:narrow(1, 2, sizes[1]), first:narrow(1, 1, sizes[1])):max() == 1 then
    check.raise(('%s: %s: some are less than the one before, expected ascending positions'):format(where, rows), 'range')
  end
  if count > 0 and (tonumber(index:min()) < 1 or tonumber(index:max()) > sizes[2]) then
    check.raise(('%s: %s: %d to %d, expected 1 to %d, the number of %s'):format(where, columns, tonumber(index:min()),
      tonumber(index:max()), sizes[2], columns), 'range')
  end
  return sizes
end

--- Checks the places of entries by coordinates.
function checks.places(where, indices, sizes)
  if indices:size(2) == 0 then return end
  local least, most = indices:min(2), indices:max(2)
  for d, size in ipairs(sizes) do
    local worst = least[d][1] < 1 and least[d][1] or most[d][1] > size and most[d][1]
    if worst then
      check.raise(('%s: indices: %d in row %d, expected 1 to %d, the size of that dimension'):format(where, tonumber(worst), d, size),
        'range')
    end
  end
end

-- Whether places, as of a dense tensor's memory, ascend and are distinct.
local function ascends(places)
  local n = places:nElement()
  return n < 2 or torch.gt(places:narrow(1, 2, n - 1), places:narrow(1, 1, n - 1)):min() == 1
end

-- The checks of the parts of each format, which programs may change; return whether entries are in order.
local parts = {}

function parts.coo(where, s)
  checks.longs(where, 'indices', s._indices, 2)
  checks.values(where, s._values, s._indices:size(2))
  checks.places(where, s._indices, s._sizes)
  return s:nnz() < 2 or ascends(s:_linear())
end

function parts.csr(where, s)
  s:_check(where)
  local _, index, sizes = s:_parts()
  return ascends((s:_owners() - 1):mul(sizes[2]):add(index))
end
parts.csc = parts.csr

function parts.bsr(where, s)
  local r, c = s:blockSize()
  checks.compressed(where, { 'rows', 'columns', 'row' }, s._rows, s._columns, { s._sizes[1] / r, s._sizes[2] / c })
end

function parts.dia() end

--- Checks the parts of a sparse tensor, which share memory with those that its methods return, so that programs may have changed them.
-- @string where
-- @param s a sparse tensor
-- @return s, or if it claims an order of entries that they lack, a tensor that claims none
-- @raise if a place is outside of the tensor, or positions of rows descend
function checks.intact(where, s)
  local isOrdered = torch.noGrad(parts[s:format()], where, s)
  if isOrdered or not s:isCoalesced() then return s end
  local own = s:_with(s._values)
  own._isSorted, own._isCoalesced = nil, nil
  return own
end

--- Makes the reader of files for a class: it sets the fields and calls the constructor, which checks them.
-- @tparam {string,...} names of the fields that are the constructor's arguments
-- @treturn function
function checks.reader(names)
  return function(self, file)
    local fields = check.table('torch.load', torch.typename(self), file:readObject())
    for name, value in pairs(fields) do rawset(self, name, value) end
    local arguments = {}
    for i, name in ipairs(names) do arguments[i] = fields[name] end
    local good, message = pcall(self.__init, self, unpack(arguments, 1, #names))
    if not good then error(require('torch.check.accident').withoutPlace(message) or message, 0) end
    if self:isCoalesced() and not torch.noGrad(parts[self:format()], 'torch.load', self) then
      self._isSorted, self._isCoalesced = nil, nil
    end
  end
end

--- Checks that a sparse tensor is a matrix.
function checks.matrix(where, s, name)
  if #s._sizes ~= 2 then
    check.raise(('%s: %s: %d dimensions, expected a matrix'):format(where, name or 'self', #s._sizes), 'shape')
  end
  return s
end

--- Checks a part of a dimension.
function checks.range(where, sizes, dim, first, count)
  check.int(where, 'dim', dim, { min = 1, max = #sizes })
  check.int(where, 'first', first, { min = 1, max = sizes[dim] + 1 })
  check.int(where, 'count', count, { min = 0, max = sizes[dim] - first + 1 })
end

local classes = {}
for format in ('COO CSR CSC BSR DIA'):gmatch '%a+' do classes['torch.Sparse' .. format] = true end

--- Returns whether a value is a sparse tensor.
function checks.isSparse(value) return classes[torch.typename(value)] == true end

--- Checks that a value is a sparse tensor.
function checks.sparse(where, name, value)
  if not checks.isSparse(value) then check.raise(('%s: %s: %s, expected a sparse tensor'):format(where, name, check.describe(value))) end
  return value
end

--- Checks that two lists of sizes are equal.
function checks.same(where, name, actual, expected)
  local same = #actual == #expected
  for d = 1, #expected do same = same and actual[d] == expected[d] end
  if not same then
    check.raise(('%s: %s: sizes [%s], expected [%s]'):format(where, name, table.concat(actual, ', '), table.concat(expected, ', ')),
      'shape')
  end
end

return checks
