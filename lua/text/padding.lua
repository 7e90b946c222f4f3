--- Sequences of several lengths as a batch.
-- @module text.padding
local torch, check = require 'torch', require 'torch.check'

local padding = {}

local sides = { 'left', 'right' }

--- Returns sequences as rows of one tensor, each filled up to the longest.
-- @tparam {torch.Tensor,...} list vectors of one type: ids of tokens
-- @tparam[opt] table options
--
-- - `value`: what the rows are filled with (1)
-- - `side`: 'right' or 'left', where it stands ('right')
-- - `length`: the columns of the result. Longer sequences lose what is beyond it, at the end (the longest sequence's length)
-- - `multiple`: the columns are rounded up to a multiple of it (1)
-- @treturn torch.Tensor #list x columns, of the type of the sequences
-- @treturn torch.ByteTensor mask of the same size: 1 for elements of a sequence, 0 for padding
-- @raise if the list is empty, or has something else than vectors of one type
-- @usage local ids, mask = text.pad { a, b }
function padding.pad(list, options)
  options = check.options('text.pad', options, { 'value', 'side', 'length', 'multiple' })
  check.table('text.pad', 'list', list)
  local value = check.number('text.pad', 'value', options.value or 1)
  local side = check.choice('text.pad', 'side', options.side or 'right', sides)
  local multiple = check.int('text.pad', 'multiple', options.multiple or 1, { min = 1 })
  check.that(#list > 0, 'text.pad: list: an empty list, expected vectors')
  local longest = 0
  for i, ids in ipairs(list) do
    check.tensor('text.pad', ('list[%d]'):format(i), ids)
    check.that(ids:dim() <= 1 and ids:type() == list[1]:type(),
      ('text.pad: list[%d]: a %s of %d dimensions, expected a vector, a %s'):format(i, ids:type(), ids:dim(), list[1]:type()))
    longest = math.max(longest, ids:nElement())
  end
  local columns = options.length and check.int('text.pad', 'length', options.length, { min = 1 }) or math.max(longest, 1)
  columns = math.ceil(columns / multiple) * multiple
  local result = list[1].new(#list, columns):fill(value)
  local mask = torch.ByteTensor(#list, columns):zero()
  for i, ids in ipairs(list) do
    local count = math.min(ids:nElement(), columns)
    if count > 0 then
      local first = side == 'left' and columns - count + 1 or 1
      result[i]:narrow(1, first, count):copy(ids:narrow(1, 1, count))
      mask[i]:narrow(1, first, count):fill(1)
    end
  end
  return result, mask
end

return padding
