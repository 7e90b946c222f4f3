-- Running sums and products in plain Lua. A tensor is { sizes = {...}, data = {...} }.
local along = require 'spec.reference.along'

local function scan(start, f)
  return function(x, dim)
    if #x.sizes == 0 then return x end
    return (along(x, dim or 1, function(slice)
      local result, acc = {}, start
      for i, v in ipairs(slice) do
        acc = f(acc, v)
        result[i] = acc
      end
      return result
    end))
  end
end

return { cumsum = scan(0, function(a, v) return a + v end), cumprod = scan(1, function(a, v) return a * v end) }
