-- Slices along a dimension, in plain Lua. A tensor is { sizes = {...}, data = {...} }, its elements in row-major order.

--- Applies f to each slice of x along dim, a list of numbers. f returns one or more lists, equally long for all slices; the results are
-- tensors of x's sizes, but for dim, which has the lists' length.
-- @tparam table x tensor
-- @tparam int dim from 1, or negative from the last
-- @tparam func f
-- @tparam[opt] int length of f's lists, needed where x has no slices
local function along(x, dim, f, length)
  if dim < 0 then dim = dim + #x.sizes + 1 end
  local n, inner, outer = x.sizes[dim], 1, 1
  for d = dim + 1, #x.sizes do inner = inner * x.sizes[d] end
  for d = 1, dim - 1 do outer = outer * x.sizes[d] end
  local results, count = {}, 1
  for o = 0, outer - 1 do
    for i = 1, inner do
      local slice = {}
      for k = 0, n - 1 do slice[k + 1] = x.data[(o * n + k) * inner + i] end
      local lists = { f(slice) }
      count = #lists
      for r = 1, count do
        results[r] = results[r] or { data = {} }
        length = #lists[r]
        for k = 0, length - 1 do results[r].data[(o * length + k) * inner + i] = lists[r][k + 1] end
      end
    end
  end
  for r = 1, count do
    results[r] = results[r] or { data = {} }
    results[r].sizes = {}
    for d = 1, #x.sizes do results[r].sizes[d] = d == dim and (length or n) or x.sizes[d] end
  end
  return unpack(results)
end

return along
