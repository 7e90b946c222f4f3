-- Products and convolutions of 8-bit integers in plain Lua. A tensor is { sizes = {...}, data = {...} }, row-major.
local elements = require 'torch.sweep.elements'
local nearest = require('spec.reference.quantize').nearest

local masked = require('spec.reference.attention').masked
local pool = require 'spec.reference.pool'
local maxPool2d, avgPool2d = pool.maxPool2d, pool.avgPool2d

local reference = {}

local function trunc(v) return v < 0 and math.ceil(v) or math.floor(v) end
local function clamped(v, least, most) return math.min(math.max(v, least), most) end
local function ceilDiv(a, b) return math.ceil(a / b) end

-- Position of element k of column c in a panel.
local function positionIn(c, k) return math.floor(k / 4) * 64 + c * 4 + k % 4 end

local function bytesOf(sum)
  local bytes = {}
  for i = 1, 4 do
    local byte = sum % 256
    bytes[i], sum = byte >= 128 and byte - 256 or byte, (sum - byte) / 256
  end
  return bytes
end

function reference.int8Pack(weight, groups)
  groups = groups or 1
  local out, depth, taps = weight.sizes[1], 1, (weight.sizes[3] or 1) * (weight.sizes[4] or 1)
  for d = 2, #weight.sizes do depth = depth * weight.sizes[d] end
  if out == 0 then depth = 0 end
  local channels, columns = depth / taps, out / groups
  local panels, blocks = ceilDiv(columns, 16), ceilDiv(depth, 4)
  local bytes, data = blocks * 64 + 64, {}
  for i = 1, groups * panels * bytes do data[i] = 0 end
  for g = 0, groups - 1 do
    for c = 0, columns - 1 do
      local start, sum = (g * panels + math.floor(c / 16)) * bytes, 0
      for k = 0, depth - 1 do                                        -- taps outside, channels inside
        local tap, channel = math.floor(k / channels), k % channels
        local w = trunc(weight.data[(g * columns + c) * depth + channel * taps + tap + 1])
        data[start + positionIn(c % 16, k) + 1], sum = w, sum + w
      end
      for i, byte in ipairs(bytesOf(sum)) do data[start + blocks * 64 + c % 16 * 4 + i] = byte end
    end
  end
  return { sizes = { groups * panels, bytes }, data = data }
end

-- Returns functions of the packed weight: element k of a column, and the stored sum of a column.
local function unpacked(packed)
  local bytes = packed.sizes[2]
  local function at(c, k) return trunc(packed.data[math.floor(c / 16) * bytes + positionIn(c % 16, k) + 1]) end
  local function sum(c)
    local total = 0
    for i = 4, 1, -1 do
      local byte = trunc(packed.data[math.floor(c / 16) * bytes + bytes - 64 + c % 16 * 4 + i])
      total = total * 256 + (i == 4 and byte or byte % 256)
    end
    return total
  end
  return at, sum
end

-- Rows of elements and their scale and zero point: those of floats by their range.
local function quantized(rows, isFloat, zero)
  local result = {}
  for r, row in ipairs(rows) do
    local q = { scale = 1, zero = zero }
    if isFloat then
      local least, most = 0, 0
      for _, v in ipairs(row) do least, most = math.min(least, v), math.max(most, v) end
      q.scale = (most - least) / 255
      if q.scale == 0 then q.scale = 1 end
      q.zero = clamped(nearest(-least / q.scale), 0, 255)
    end
    for k, v in ipairs(row) do q[k] = isFloat and clamped(nearest(v / q.scale) + q.zero, 0, 255) or trunc(v) end
    result[r] = q
  end
  return result
end

local bounds = { uint8 = { 0, 255 }, int8 = { -128, 127 } }

-- A number as the result of scaled sums.
local function result(v, outZero, dtype)
  local least, most = unpack(bounds[dtype] or {})
  return least and clamped(nearest(v) + (outZero or 0), least, most) or v
end

-- What becomes of a sum over `depth` pairs with the elements x(k) of a row and a column of the packed weight.
local function column(packed, offset, c, depth, x, row, multiplier, bias, weightZero, outZero, dtype)
  local at, sumOf = unpacked(packed)
  local sum, elementSum = 0, 0
  for k = 0, depth - 1 do
    sum, elementSum = sum + x(k) * at(offset + c, k), elementSum + x(k)
  end
  return function(index)
    local total = sum - row.zero * sumOf(offset + c)
    if weightZero then total = total - trunc(weightZero.data[index]) * (elementSum - depth * row.zero) end
    if not multiplier then return total end
    return result(total * row.scale * multiplier.data[index] + (bias and bias.data[index] or 0), outZero, dtype)
  end
end

function reference.int8Linear(x, packed, columns, zero, multiplier, bias, weightZero, outZero, dtype)
  local depth, rows, data = x.sizes[#x.sizes], {}, {}
  for r = 1, #x.data / depth do rows[r] = { unpack(x.data, (r - 1) * depth + 1, r * depth) } end
  for _, row in ipairs(quantized(rows, elements.isFloat(x.type), zero or 0)) do
    for c = 1, columns do
      local value = column(packed, 0, c - 1, depth, function(k) return row[k + 1] end, row, multiplier, bias, weightZero, outZero, dtype)
      data[#data + 1] = value(c)
    end
  end
  local sizes = { unpack(x.sizes) }
  sizes[#sizes] = columns
  return { sizes = sizes, data = data }
end

function reference.int8Conv2d(x, packed, columns, kernel, zero, multiplier, bias, weightZero, outZero, dtype, window, groups)
  window, groups = window or { 1, 1, 0, 0, 0, 0, 1, 1 }, groups or 1
  local stride, pad, dilation = { window[1], window[2] }, { window[3], window[4] }, { window[7], window[8] }
  local n, channels, h, w = unpack(x.sizes)
  local below, right = window[5], window[6]
  local outH = math.floor((h + pad[1] + below - dilation[1] * (kernel[1] - 1) - 1) / stride[1]) + 1
  local outW = math.floor((w + pad[2] + right - dilation[2] * (kernel[2] - 1) - 1) / stride[2]) + 1
  local inner, images, data = channels / groups, {}, {}
  for i = 1, n do images[i] = { unpack(x.data, (i - 1) * channels * h * w + 1, i * channels * h * w) } end
  local depth, columnsOf = inner * kernel[1] * kernel[2], columns / groups
  for _, image in ipairs(quantized(images, elements.isFloat(x.type), zero or 0)) do
    for c = 0, columns - 1 do
      local group = math.floor(c / columnsOf)
      for y = 0, outH - 1 do
        for z = 0, outW - 1 do
          local function element(k)
            local tap, channel = math.floor(k / inner), group * inner + k % inner
            local row = y * stride[1] - pad[1] + math.floor(tap / kernel[2]) * dilation[1]
            local line = z * stride[2] - pad[2] + tap % kernel[2] * dilation[2]
            if row < 0 or row >= h or line < 0 or line >= w then return image.zero end
            return image[(channel * h + row) * w + line + 1]
          end
          local value = column(packed, group * ceilDiv(columnsOf, 16) * 16, c % columnsOf, depth, element, image, multiplier, bias,
            weightZero, outZero, dtype)
          data[#data + 1] = value(c + 1)
        end
      end
    end
  end
  return { sizes = { n, columns, outH, outW }, data = data }
end

-- Truncates the elements, and compares them as maxPool2d does.
function reference.int8MaxPool2d(x, ...)
  local whole = { sizes = x.sizes, data = {} }
  for i, v in ipairs(x.data) do whole.data[i] = trunc(v) end
  return (maxPool2d(whole, ...))
end

function reference.int8Add(x, y, xScale, yScale, xZero, yZero, outZero, dtype)
  local data = {}
  for i, v in ipairs(x.data) do
    data[i] = result((trunc(v) - (xZero or 0)) * xScale + (trunc(y.data[i]) - (yZero or 0)) * yScale, outZero, dtype)
  end
  return { sizes = x.sizes, data = data }
end

-- The mean of numbers whose sum of integers is exact in float64.
function reference.int8AvgPool2d(x, scale, kernelH, kernelW, strideH, strideW, padH, padW, ceil, countPad, zero, outZero, dtype)
  local centred = { sizes = x.sizes, data = {} }
  for i, v in ipairs(x.data) do centred.data[i] = (trunc(v) - (zero or 0)) * scale end
  local y = avgPool2d(centred, kernelH, kernelW, strideH, strideW, padH, padW, ceil, countPad)
  for i, v in ipairs(y.data) do y.data[i] = result(v, outZero, dtype) end
  return y
end

-- The integers of a matrix of `depth` x `columns` elements, given by a function, less their zero point, as a function, and the scales of
-- its columns: those of floats by their largest element.
local function centredColumns(at, depth, columns, isFloat, zero)
  local scale, q = {}, {}
  for c = 1, columns do
    local most = 0
    for k = 1, depth do most = math.max(most, math.abs(at(k, c))) end
    scale[c], q[c] = isFloat and most > 0 and most / 127 or 1, {}
    for k = 1, depth do q[c][k] = isFloat and clamped(nearest(at(k, c) / scale[c]), -128, 127) or trunc(at(k, c)) - zero end
  end
  return function(k, c) return q[c][k] end, scale
end

-- Leading dimensions broadcast: calls f(first element of x's matrix, of y's) for each matrix of the result, and returns their sizes.
local function eachMatrix(x, y, f)
  local dims, sizes, count = math.max(#x.sizes, #y.sizes) - 2, {}, 1
  local function sizeOf(t, d) return t.sizes[#t.sizes - 2 - dims + d] or 1 end
  for d = 1, dims do
    sizes[d] = sizeOf(x, d) == 1 and sizeOf(y, d) or sizeOf(x, d)
    count = count * sizes[d]
  end
  local function firstOf(t, index)
    local at, step = 0, t.sizes[#t.sizes] * t.sizes[#t.sizes - 1]
    for d = dims, 1, -1 do
      at, step = at + (sizeOf(t, d) == 1 and 0 or index[d]) * step, step * sizeOf(t, d)
    end
    return at
  end
  for i = 0, count - 1 do
    local index, rest = {}, i
    for d = dims, 1, -1 do
      index[d], rest = rest % sizes[d], math.floor(rest / sizes[d])
    end
    f(firstOf(x, index), firstOf(y, index))
  end
  return sizes
end

function reference.int8Matmul(x, y, xZero, yZero, multiplier, outZero, dtype)
  local rows, depth, columns = x.sizes[#x.sizes - 1], x.sizes[#x.sizes], y.sizes[#y.sizes]
  local isFloat, data = elements.isFloat(x.type) or elements.isFloat(y.type), {}
  local sizes = eachMatrix(x, y, function(firstX, firstY)
    local list = {}
    for r = 1, rows do list[r] = { unpack(x.data, firstX + (r - 1) * depth + 1, firstX + r * depth) } end
    local at, scale = centredColumns(function(k, c) return y.data[firstY + (k - 1) * columns + c] end, depth, columns, isFloat, yZero or 0)
    for _, row in ipairs(quantized(list, isFloat, xZero or 0)) do
      for c = 1, columns do
        local sum = 0
        for k = 1, depth do sum = sum + (row[k] - row.zero) * at(k, c) end
        local v = sum * row.scale * scale[c] * (multiplier or 1)
        data[#data + 1] = (multiplier or isFloat) and result(v, outZero, dtype) or sum
      end
    end
  end)
  sizes[#sizes + 1], sizes[#sizes + 2] = rows, columns
  return { sizes = sizes, data = data }
end

function reference.int8Attention(q, k, v, mask, causal, scale, queryZero, valueZero, valueScale, outZero, dtype)
  local dims, isFloat = #q.sizes, elements.isFloat(q.type)
  local size, queries, keys, width = q.sizes[dims], q.sizes[dims - 1], k.sizes[dims - 1], v.sizes[dims]
  local heads, keyHeads = q.sizes[dims - 2] or 1, k.sizes[dims - 2] or 1
  scale = scale or 1 / math.sqrt(size)
  local sizes, data, list = { unpack(q.sizes) }, {}, {}
  sizes[dims] = width
  for r = 1, #q.data / size do list[r] = { unpack(q.data, (r - 1) * size + 1, r * size) } end
  for r, row in ipairs(quantized(list, isFloat, queryZero or 0)) do
    local i, matrix = (r - 1) % queries, math.floor((r - 1) / queries)
    local first = (math.floor(matrix / heads) * keyHeads + math.floor(matrix % heads * keyHeads / heads)) * keys
    local keyAt, keyScale = centredColumns(function(e, j) return k.data[(first + j - 1) * size + e] end, size, keys, isFloat, 0)
    local valueAt, ofValue = centredColumns(function(j, c) return v.data[(first + j - 1) * width + c] end, keys, width, isFloat,
      valueZero or 0)
    local scores, top, total, p = {}, -math.huge, 0, {}
    for j = 1, keys do
      local sum = 0
      for e = 1, size do sum = sum + (row[e] - row.zero) * keyAt(e, j) end
      scores[j] = sum * row.scale * keyScale[j] * scale + (mask and masked(mask, q.sizes, r - 1, j - 1) or 0)
      if causal and j - 1 > i then scores[j] = -math.huge end
      top = math.max(top, scores[j])
    end
    for j = 1, keys do
      p[j] = top == -math.huge and 0 or nearest(255 * math.exp(scores[j] - top))
      total = total + p[j]
    end
    for c = 1, width do
      local sum = 0
      for j = 1, keys do sum = sum + p[j] * valueAt(j, c) end
      data[#data + 1] = result(total > 0 and sum * ofValue[c] * (valueScale or 1) / total or 0, outZero, dtype)
    end
  end
  return { sizes = sizes, data = data }
end

return reference
