-- Scaled dot-product attention by its definition, query by query, in plain Lua float64. A tensor is { sizes = {...}, data = {...} },
-- row-major.
local reference = {}

local floats = {
  ['torch.DoubleTensor'] = true, ['torch.FloatTensor'] = true, ['torch.HalfTensor'] = true, ['torch.BFloat16Tensor'] = true,
}

local function last(x, k) return x.sizes[#x.sizes - k + 1] end

-- The element of a mask for a query's row and a key, both from 0; `row` counts all rows of the query.
local function masked(mask, querySizes, row, key)
  local at, step, rest = 0, 1, row
  for d = #querySizes, 1, -1 do
    local index = key
    if d < #querySizes then index, rest = rest % querySizes[d], math.floor(rest / querySizes[d]) end
    local k = d - #querySizes + #mask.sizes
    if k >= 1 then
      if mask.sizes[k] > 1 then at = at + index * step end
      step = step * mask.sizes[k]
    end
  end
  local value = mask.data[at + 1]
  if floats[mask.type] then return value end
  return value ~= 0 and 0 or -math.huge
end

reference.masked = masked

local function dot(x, i, y, j, n)
  local sum = 0
  for e = 1, n do sum = sum + x.data[i * n + e] * y.data[j * n + e] end
  return sum
end

-- Calls f(row, p, first, logsum) for each query: the weights of its keys, and the first of its head's keys.
local function eachQuery(q, k, mask, causal, scale, f)
  local size, queries, keys = last(q, 1), last(q, 2), last(k, 2)
  local heads, keyHeads = #q.sizes > 2 and last(q, 3) or 1, #k.sizes > 2 and last(k, 3) or 1
  scale = scale or 1 / math.sqrt(size)
  for row = 0, #q.data / size - 1 do
    local i, matrix = row % queries, math.floor(row / queries)
    local outer, head = math.floor(matrix / heads), matrix % heads
    local first = (outer * keyHeads + math.floor(head * keyHeads / heads)) * keys
    local scores, top, sum, p = {}, -math.huge, 0, {}
    for j = 0, keys - 1 do
      local score = scale * dot(q, row, k, first + j, size) + (mask and masked(mask, q.sizes, row, j) or 0)
      if causal and j > i then score = -math.huge end
      scores[j], top = score, math.max(top, score)
    end
    for j = 0, keys - 1 do sum = sum + (top == -math.huge and 0 or math.exp(scores[j] - top)) end
    for j = 0, keys - 1 do p[j] = sum == 0 and 0 or math.exp(scores[j] - top) / sum end
    f(row, p, first, sum == 0 and -math.huge or top + math.log(sum))
  end
end

local function zeros(sizes)
  local n, data = 1, {}
  for _, size in ipairs(sizes) do n = n * size end
  for i = 1, n do data[i] = 0 end
  return { sizes = sizes, data = data }
end

local function resized(x, size)
  local sizes = { unpack(x.sizes) }
  sizes[#sizes] = size
  return sizes
end

function reference.scaledDotProductAttention(q, k, v, mask, causal, scale)
  local n = last(v, 1)
  local res, sums = zeros(resized(q, n)), zeros(resized(q, nil))
  eachQuery(q, k, mask, causal, scale, function(row, p, first, logsum)
    sums.data[row + 1] = logsum
    for j, weight in pairs(p) do
      for e = 1, n do res.data[row * n + e] = res.data[row * n + e] + weight * v.data[(first + j) * n + e] end
    end
  end)
  return res, sums
end

-- By the results' definition, from the given results: the weights are exp(score - logsum).
function reference.scaledDotProductAttention_grad(g, q, k, v, res, logsum, mask, causal, scale)
  local size, n, factor = last(q, 1), last(v, 1), scale or 1 / math.sqrt(last(q, 1))
  local gq, gk, gv = zeros(q.sizes), zeros(k.sizes), zeros(v.sizes)
  eachQuery(q, k, mask, causal, scale, function(row, p, first, sum)
    for j, weight in pairs(p) do
      local w = weight == 0 and 0 or weight * math.exp(sum - logsum.data[row + 1])
      local slope = factor * w * (dot(g, row, v, first + j, n) - dot(g, row, res, row, n))
      for e = 1, n do gv.data[(first + j) * n + e] = gv.data[(first + j) * n + e] + w * g.data[row * n + e] end
      for e = 1, size do
        gq.data[row * size + e] = gq.data[row * size + e] + slope * k.data[(first + j) * size + e]
        gk.data[(first + j) * size + e] = gk.data[(first + j) * size + e] + slope * q.data[row * size + e]
      end
    end
  end)
  return gq, gk, gv
end

return reference
