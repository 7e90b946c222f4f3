-- Pooling and its gradients, window by window. A tensor is { sizes = {...}, data = {...} }.
local product = require('torch.sweep.elements').product

local reference = {}

-- Positions of a window along one dimension: those inside the input, and how many of them padding allows.
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

-- An op's arguments from the kernel on: lists of kernels, strides, paddings, then rounding and the rest.
local function windowOf(dims, arguments)
  local w = { kernel = {}, stride = {}, pad = {}, ceil = arguments[3 * dims + 1], rest = { unpack(arguments, 3 * dims + 2, 14) } }
  for i = 1, dims do
    w.kernel[i] = arguments[i]
    w.stride[i], w.pad[i] = arguments[dims + i] or arguments[i], arguments[2 * dims + i] or 0
  end
  return w
end

-- Calls visit(first element of the plane, window's number, positions in the plane, elements that padding allows) for each window.
local function windows(planes, sizes, w, dilations, visit)
  local dims, counts = #sizes, {}
  for i = 1, dims do counts[i] = count(sizes[i], w.kernel[i], w.stride[i], w.pad[i], dilations[i] or 1, w.ceil) end
  local total, plane = product(counts), product(sizes)
  for o = 0, total - 1 do
    local positions, allowed, left, step = { 0 }, 1, o, plane
    local ways = {}
    for i = dims, 1, -1 do
      local inside, some = window(left % counts[i], sizes[i], w.kernel[i], w.stride[i], w.pad[i], dilations[i] or 1)
      ways[i], allowed, left = inside, allowed * some, math.floor(left / counts[i])
    end
    for i = 1, dims do
      local longer = {}
      step = step / sizes[i]
      for _, start in ipairs(positions) do
        for _, at in ipairs(ways[i]) do longer[#longer + 1] = start + at * step end
      end
      positions = longer
    end
    for p = 0, planes - 1 do visit(p * plane, p * total + o + 1, positions, allowed) end
  end
  return counts
end

local function resized(x, dims, sizes)
  local all = { unpack(x.sizes, 1, #x.sizes - dims) }
  for _, size in ipairs(sizes) do all[#all + 1] = size end
  return all
end

local function planesOf(x, dims)
  local sizes = { unpack(x.sizes, #x.sizes - dims + 1) }
  return #x.data / product(sizes), sizes
end

local function zeros(sizes)
  local x = { sizes = sizes, data = {} }
  for i = 1, product(sizes) do x.data[i] = 0 end
  return x
end

local function divisor(positions, allowed, countPad) return countPad == false and #positions or allowed end

local function family(dims)
  reference[('maxPool%dd'):format(dims)] = function(x, ...)
    local planes, sizes = planesOf(x, dims)
    local w = windowOf(dims, { ... })
    local values, places = { data = {} }, { data = {}, type = 'torch.LongTensor' }
    local counts = windows(planes, sizes, w, w.rest, function(first, at, positions)
      local best, where
      for _, place in ipairs(positions) do
        local v = x.data[first + place + 1]
        if not best or v > best then best, where = v, place + 1 end
      end
      values.data[at], places.data[at] = best, where
    end)
    values.sizes, places.sizes = resized(x, dims, counts), resized(x, dims, counts)
    return values, places
  end

  reference[('maxPool%dd_grad'):format(dims)] = function(g, indices, ...)
    local _, sizes = planesOf(g, dims)
    local windowsOfPlane, plane = product(sizes), product { ... }
    local x = zeros(resized(g, dims, { ... }))
    for i, v in ipairs(g.data) do
      local at = math.floor((i - 1) / windowsOfPlane) * plane + indices.data[i]
      x.data[at] = x.data[at] + v
    end
    return x
  end

  reference[('avgPool%dd'):format(dims)] = function(x, ...)
    local planes, sizes = planesOf(x, dims)
    local w = windowOf(dims, { ... })
    local result = { data = {} }
    local counts = windows(planes, sizes, w, {}, function(first, at, positions, allowed)
      local sum = 0
      for _, place in ipairs(positions) do sum = sum + x.data[first + place + 1] end
      result.data[at] = sum / divisor(positions, allowed, w.rest[1])
    end)
    result.sizes = resized(x, dims, counts)
    return result
  end

  reference[('avgPool%dd_grad'):format(dims)] = function(g, ...)
    local arguments = { n = select('#', ...), ... }
    local sizes = arguments[1]
    if type(sizes) == 'table' then
      table.remove(arguments, 1)
    else
      sizes = { arguments[1], arguments[2] }
      arguments = { unpack(arguments, 3, arguments.n) }
    end
    local w = windowOf(dims, arguments)
    local x = zeros(resized(g, dims, sizes))
    windows((planesOf(g, dims)), sizes, w, {}, function(first, at, positions, allowed)
      for _, place in ipairs(positions) do
        local i = first + place + 1
        x.data[i] = x.data[i] + g.data[at] / divisor(positions, allowed, w.rest[1])
      end
    end)
    return x
  end
end

for dims = 2, 3 do family(dims) end

return reference
