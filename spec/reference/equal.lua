-- Whether two tensors are the same: sizes first, then element by element.
local reference = {}

function reference.equal(x, y)
  if table.concat(x.sizes, ' ') ~= table.concat(y.sizes, ' ') then return false end
  for i, v in ipairs(x.data) do
    if v ~= y.data[i] then return false end
  end
  return true
end

return reference
