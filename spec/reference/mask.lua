-- Selection and writing by mask, in plain Lua. A tensor is { sizes = {...}, data = {...} }, its elements in row-major order.
local view = require 'spec.reference.view'
local build, element, copied = view.tensor.build, view.tensor.element, view.tensor.copied

local reference = {}

-- The mask's value for element i of x.
local function broadcast(x, mask)
  if #mask.data == #x.data then return mask.data end
  return view.expand(mask, x.sizes).data
end

local function isSet(value) return value == true or value == 1 end

function reference.maskedSelect(x, mask)
  local bits, result = broadcast(x, mask), { sizes = {}, data = {} }
  for i, value in ipairs(x.data) do
    if isSet(bits[i]) then result.data[#result.data + 1] = value end
  end
  if #result.data > 0 then result.sizes[1] = #result.data end
  return result
end

function reference.maskedFill(x, mask, filling)
  local bits, result = broadcast(x, mask), { sizes = copied(x.sizes), data = copied(x.data) }
  for i = 1, #x.data do
    if isSet(bits[i]) then result.data[i] = filling end
  end
  return result
end

function reference.maskedCopy(x, mask, source)
  local bits, result, next = broadcast(x, mask), { sizes = copied(x.sizes), data = copied(x.data) }, 1
  for i = 1, #x.data do
    if isSet(bits[i]) then
      result.data[i] = source.data[next]
      next = next + 1
    end
  end
  return result
end

function reference.nonzero(x)
  local result, rows = { sizes = {}, data = {} }, 0
  build(copied(x.sizes), function(index)
    if element(x, index) ~= 0 then
      rows = rows + 1
      for d = 1, #index do result.data[#result.data + 1] = index[d] end
    end
    return 0
  end)
  if rows > 0 then result.sizes = { rows, #x.sizes } end
  return result
end

return reference
