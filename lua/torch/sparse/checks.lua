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

--- Returns whether a value is a sparse tensor.
function checks.isSparse(value)
  local class = torch.typename(value)
  return class == 'torch.SparseCOO' or class == 'torch.SparseCSR'
end

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
