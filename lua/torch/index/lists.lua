--- x[{...}] and x[{...}] = value if an entry of the key is a tensor: a LongTensor of positions, or a mask of the dimension's size. Each
-- selects along its own dimension, as numbers and ranges do (orthogonal indexing, numpy.ix_).
-- @module torch.index.lists
local torch = require 'torch'
local check, messages = require 'torch.check', require 'torch.check.message'

local lists = {}

-- Returns the view that the numbers and ranges of a key select, and the lists: {dim, positions}, by dimensions of the view.
local function parsed(x, key)
  check.tensor('index', 'self', x)
  check.table('index', 'key', key)
  local plain, found, dim = {}, {}, 0
  for i, entry in ipairs(key) do
    if i > x:dim() then check.raise(('index: key: too many indices provided: %d for %d dimensions'):format(i, x:dim())) end
    if tonumber(entry) == nil then dim = dim + 1 end
    plain[i] = entry
    if torch.isTensor(entry) then
      local kind = entry:type():match '%.%a-(%u%l+)Tensor$'
      local isMask = kind == 'Byte' or kind == 'Bool'
      if entry:dim() ~= 1 or not isMask and kind ~= 'Long' then
        check.raise(('index: key: %s %s as number %d, expected a vector: LongTensor of positions, or ByteTensor or BoolTensor as a mask')
          :format(entry:type(), messages.sizes(entry), i), 'dtype')
      end
      if isMask and entry:size(1) ~= x:size(i) then
        check.raise(('index: key: a mask of %s as number %d, expected the size %d of the dimension')
          :format(messages.sizes(entry), i, x:size(i)))
      end
      plain[i] = {}
      found[#found + 1] = { dim, isMask and torch.nonzero(entry):view(-1) or entry }
    end
  end
  local view = check.call(function() return x[plain] end)
  return view, found
end

--- Returns the elements that a key selects, in a new tensor.
-- @tparam torch.Tensor x
-- @tparam table key numbers, ranges `{first, last, step}`, `{}`, vectors of positions and masks
-- @treturn torch.Tensor without the dimensions of the numbers
-- @raise if a position or a size is out of range
function lists._indexLists(x, key)
  local y, found = parsed(x, key)
  for _, list in ipairs(found) do y = check.call(torch.index, y, list[1], list[2]) end
  return y
end

-- Writes to what the lists from number i on select.
local function write(y, found, i, value)
  local dim, positions = unpack(found[i])
  if i == #found then
    if torch.isTensor(value) then y:indexCopy(dim, positions, value) else y:indexFill(dim, positions, value) end
    return
  end
  local part = torch.index(y, dim, positions)
  write(part, found, i + 1, value)
  y:indexCopy(dim, positions, part)
end

--- Writes to the elements that a key selects; of a position that is twice in a list, the last value remains.
-- @tparam torch.Tensor x
-- @tparam table key as for reading
-- @tparam number|boolean|torch.Tensor value with as many elements, or of sizes that broadcast
-- @raise if a position or a size is out of range
function lists._setIndexLists(x, key, value)
  local y, found = parsed(x, key)
  local sizes, count = y:size(), 1
  for _, list in ipairs(found) do sizes[list[1]] = list[2]:nElement() end
  for d = 1, sizes:size() do count = count * sizes[d] end
  if torch.isTensor(value) then
    local good, same
    if value:nElement() == count then
      good, same = true, torch.reshape(value, sizes)
    else
      good, same = pcall(torch.expand, value, sizes)
    end
    if not good then check.raise(('index: value: %s, expected %s'):format(messages.sizes(value), messages.listed(sizes)), 'shape') end
    value = same:type(x:type())
  elseif type(value) == 'boolean' and x:type():find 'Bool' then
    value = value and 1 or 0
  else
    check.number('index', 'value', value)
  end
  for _, list in ipairs(found) do      -- all are checked before anything is written
    if list[2]:nElement() > 0 then check.call(torch.index, y:detach(), list[1], list[2]) end
  end
  if count > 0 then check.call(write, y, found, 1, value) end
end

return lists
