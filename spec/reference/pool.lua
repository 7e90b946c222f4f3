-- Pooling and its gradients, window by window. A tensor is { sizes = {...}, data = {...} }.
local reference = {}

-- Positions of a window along one dimension: first and last inside the input, and how many of them padding allows.
local function window(index, size, kernel, stride, pad, dilation)
  local first = index * stride - pad
  local positions, allowed = {}, 0
  for k = 0, kernel - 1 do
    local at = first + k * dilation
    if at >= 0 and at < size then positions[#positions + 1] = at end
    if at < size + pad then allowed = allowed + 1 end
  end
  return positions, allowed
end

local function count(size, kernel, stride, pad, dilation, ceil)
  local steps = (size + 2 * pad - dilation * (kernel - 1) - 1) / stride
  local n = (ceil and math.ceil(steps) or math.floor(steps)) + 1
  if ceil and (n - 1) * stride >= size + pad then n = n - 1 end     -- the last window begins in the input or the padding before it
  return n
end

-- Calls visit(plane, its windows' place, rows, columns, elements that padding allows) for each window of x (..., h, w).
local function windows(h, w, planes, kh, kw, strideH, strideW, padH, padW, ceil, dilationH, dilationW, visit)
  strideH, strideW = strideH or kh, strideW or kw
  padH, padW, dilationH, dilationW = padH or 0, padW or 0, dilationH or 1, dilationW or 1
  local rows, columns = count(h, kh, strideH, padH, dilationH, ceil), count(w, kw, strideW, padW, dilationW, ceil)
  for plane = 0, planes - 1 do for r = 0, rows - 1 do for c = 0, columns - 1 do
    local ys, high = window(r, h, kh, strideH, padH, dilationH)
    local xs, wide = window(c, w, kw, strideW, padW, dilationW)
    visit(plane, (plane * rows + r) * columns + c + 1, ys, xs, high * wide)
  end end end
  return rows, columns
end

local function resized(x, h, w)
  local sizes = { unpack(x.sizes) }
  sizes[#sizes - 1], sizes[#sizes] = h, w
  return sizes
end

local function planesOf(x)
  local n = #x.sizes
  return x.sizes[n - 1], x.sizes[n], #x.data / (x.sizes[n - 1] * x.sizes[n])
end

function reference.maxPool2d(x, kh, kw, strideH, strideW, padH, padW, ceil, dilationH, dilationW)
  local h, w, planes = planesOf(x)
  local values, places = { data = {} }, { data = {}, type = 'torch.LongTensor' }
  local rows, columns = windows(h, w, planes, kh, kw, strideH, strideW, padH, padW, ceil, dilationH, dilationW, function(plane, at, ys, xs)
    local best, where
    for _, y in ipairs(ys) do
      for _, column in ipairs(xs) do
        local v = x.data[plane * h * w + y * w + column + 1]
        if not best or v > best then best, where = v, y * w + column + 1 end
      end
    end
    values.data[at], places.data[at] = best, where
  end)
  values.sizes, places.sizes = resized(x, rows, columns), resized(x, rows, columns)
  return values, places
end

function reference.maxPool2d_grad(g, indices, h, w)
  local rows, columns, planes = planesOf(g)
  local x = { sizes = resized(g, h, w), data = {} }
  for i = 1, planes * h * w do x.data[i] = 0 end
  for i, v in ipairs(g.data) do
    local at = math.floor((i - 1) / (rows * columns)) * h * w + indices.data[i]
    x.data[at] = x.data[at] + v
  end
  return x
end

local function divisor(ys, xs, allowed, countPad) return countPad == false and #ys * #xs or allowed end

function reference.avgPool2d(x, kh, kw, strideH, strideW, padH, padW, ceil, countPad)
  local h, w, planes = planesOf(x)
  local result = { data = {} }
  local rows, columns = windows(h, w, planes, kh, kw, strideH, strideW, padH, padW, ceil, 1, 1, function(plane, at, ys, xs, allowed)
    local sum = 0
    for _, y in ipairs(ys) do
      for _, column in ipairs(xs) do sum = sum + x.data[plane * h * w + y * w + column + 1] end
    end
    result.data[at] = sum / divisor(ys, xs, allowed, countPad)
  end)
  result.sizes = resized(x, rows, columns)
  return result
end

function reference.avgPool2d_grad(g, h, w, kh, kw, strideH, strideW, padH, padW, ceil, countPad)
  local _, _, planes = planesOf(g)
  local x = { sizes = resized(g, h, w), data = {} }
  for i = 1, planes * h * w do x.data[i] = 0 end
  windows(h, w, planes, kh, kw, strideH, strideW, padH, padW, ceil, 1, 1, function(plane, at, ys, xs, allowed)
    for _, y in ipairs(ys) do
      for _, column in ipairs(xs) do
        local i = plane * h * w + y * w + column + 1
        x.data[i] = x.data[i] + g.data[at] / divisor(ys, xs, allowed, countPad)
      end
    end
  end)
  return x
end

return reference
