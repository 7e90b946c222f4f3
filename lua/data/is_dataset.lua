--- Checks of sets: a data.Dataset, or any table with `size` and `get`.
-- @module data.is_dataset
local check, message = require 'torch.check', require 'torch.check.message'

local isDataset = {}

--- Whether a value has the methods of a set.
function isDataset.is(value) return type(value) == 'table' and value.size ~= nil and value.get ~= nil end

--- Returns the set, or raises an error.
-- @string where
-- @string name
-- @param value
function isDataset.check(where, name, value)
  if not isDataset.is(value) then
    check.raise(('%s: %s: %s, expected a dataset (size and get)'):format(where, name, message.value(value)))
  end
  return check.instance(where, name, value, 'a dataset')
end

return isDataset
