--- Lists of numbers or strings.
-- @module torch.lists
local lists = {}

--- Whether two lists have as many elements, and equal ones at each position.
-- @tparam table a
-- @tparam table b
-- @treturn bool
function lists.areEqual(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do
    if a[i] ~= b[i] then return false end
  end
  return true
end

return lists
