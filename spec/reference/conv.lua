-- Convolution and its gradients, every product of the sum visited one by one. A tensor is { sizes = {...}, data = {...} }.
local product = require('torch.sweep.elements').product

local reference = {}

-- A tensor of zeros.
local function zeros(sizes)
  local x = { sizes = sizes, data = {} }
  local n = 1
  for _, size in ipairs(sizes) do n = n * size end
  for i = 1, n do x.data[i] = 0 end
  return x
end

-- The images' batch, channels and sizes along `dims` axes.
local function images(x, dims)
  local sizes = { unpack(x.sizes, #x.sizes - dims + 1) }
  return #x.sizes == dims + 2 and x.sizes[1] or 1, x.sizes[#x.sizes - dims], sizes
end

-- Images with other channels and sizes, in a batch as `like` is.
local function imagesLike(like, dims, channels, sizes)
  local all = { channels, unpack(sizes) }
  if #like.sizes == dims + 2 then table.insert(all, 1, like.sizes[1]) end
  return zeros(all)
end

-- Strides, paddings, dilations, each a list, and groups, from an op's last arguments.
local function windowOf(dims, arguments)
  local function list(first, default)
    local values = {}
    for i = 1, dims do values[i] = arguments[first + i] or default end
    return values
  end
  return { stride = list(0, 1), pad = list(dims, 0), dilation = list(2 * dims, 1), groups = arguments[3 * dims + 1] or 1 }
end

local function outputs(sizes, kernel, w)
  local result = {}
  for i, size in ipairs(sizes) do
    result[i] = math.floor((size + 2 * w.pad[i] - w.dilation[i] * (kernel[i] - 1) - 1) / w.stride[i]) + 1
  end
  return result
end

-- Where tap t of output o lies in a channel, nil outside; all counted from 0 in row-major order.
local function place(o, t, sizes, kernel, outs, w)
  local at, step = 0, 1
  for i = #sizes, 1, -1 do
    local x = o % outs[i] * w.stride[i] - w.pad[i] + t % kernel[i] * w.dilation[i]
    if x < 0 or x >= sizes[i] then return nil end
    at, step = at + x * step, step * sizes[i]
    o, t = math.floor(o / outs[i]), math.floor(t / kernel[i])
  end
  return at
end

-- Calls visit(element of x, of weight, of y), counted from 1, for every product that a convolution adds up.
local function products(batch, inputs, sizes, channels, kernel, w, visit)
  local outs = outputs(sizes, kernel, w)
  local image, points, taps = product(sizes), product(outs), product(kernel)
  local perGroup, outPerGroup = inputs / w.groups, channels / w.groups
  for o = 0, points - 1 do
    for t = 0, taps - 1 do
      local at = place(o, t, sizes, kernel, outs, w)
      for n = 0, at and batch - 1 or -1 do
        for out = 0, channels - 1 do
          for own = 0, perGroup - 1 do
            local channel = math.floor(out / outPerGroup) * perGroup + own
            visit((n * inputs + channel) * image + at + 1, (out * perGroup + own) * taps + t + 1, (n * channels + out) * points + o + 1)
          end
        end
      end
    end
  end
end

local function addBias(y, bias, channels, points)
  for at = 1, bias and #y.data or 0 do
    y.data[at] = y.data[at] + bias.data[math.floor((at - 1) / points) % channels + 1]
  end
  return y
end

local function withoutBias(bias, ...)
  if type(bias) == 'number' then return nil, { bias, ... } end
  return bias, { ... }
end

-- The gradient by x, with these sizes, as a sum over the products of y and weight.
local function inputGradient(dims, g, weight, sizes, w)
  local batch, channels = images(g, dims)
  local kernel = { unpack(weight.sizes, 3) }
  local inputs = weight.sizes[2] * w.groups
  local x = imagesLike(g, dims, inputs, sizes)
  products(batch, inputs, sizes, channels, kernel, w, function(i, k, o) x.data[i] = x.data[i] + g.data[o] * weight.data[k] end)
  return x
end

local function family(dims)
  -- A list from one number per axis, or from one table; and the remaining arguments.
  local function leading(first, ...)
    if type(first) == 'table' then return first, { ... } end
    return { first, unpack({ ... }, 1, dims - 1) }, { unpack({ ... }, dims) }
  end

  reference[('conv%dd'):format(dims)] = function(x, weight, bias, ...)
    local options
    bias, options = withoutBias(bias, ...)
    local w = windowOf(dims, options)
    local batch, inputs, sizes = images(x, dims)
    local channels, kernel = weight.sizes[1], { unpack(weight.sizes, 3) }
    local outs = outputs(sizes, kernel, w)
    local y = imagesLike(x, dims, channels, outs)
    products(batch, inputs, sizes, channels, kernel, w, function(i, k, o) y.data[o] = y.data[o] + x.data[i] * weight.data[k] end)
    return addBias(y, bias, channels, product(outs))
  end

  reference[('conv%dd_input_grad'):format(dims)] = function(g, weight, ...)
    local sizes, options = leading(...)
    return inputGradient(dims, g, weight, sizes, windowOf(dims, options))
  end

  reference[('conv%dd_weight_grad'):format(dims)] = function(g, x, ...)
    local kernel, options = leading(...)
    local w = windowOf(dims, options)
    local batch, inputs, sizes = images(x, dims)
    local _, channels, outs = images(g, dims)
    local weight, bias = zeros { channels, inputs / w.groups, unpack(kernel) }, zeros { channels }
    products(batch, inputs, sizes, channels, kernel, w, function(i, k, o)
      weight.data[k] = weight.data[k] + g.data[o] * x.data[i]
    end)
    local points = product(outs)
    for at = 1, #g.data do
      local out = math.floor((at - 1) / points) % channels + 1
      bias.data[out] = bias.data[out] + g.data[at]
    end
    return weight, bias
  end

  reference[('convTranspose%dd'):format(dims)] = function(x, weight, bias, ...)
    local options
    bias, options = withoutBias(bias, ...)
    local adj = {}
    if dims == 3 then
      adj = table.remove(options, 7) or { 0, 0, 0 }
    else
      for i = 1, dims do adj[i] = table.remove(options, 2 * dims + 1) or 0 end
    end
    local w = windowOf(dims, options)
    local _, _, sizes = images(x, dims)
    local kernel, result = { unpack(weight.sizes, 3) }, {}
    for i, size in ipairs(sizes) do
      result[i] = (size - 1) * w.stride[i] - 2 * w.pad[i] + w.dilation[i] * (kernel[i] - 1) + 1 + adj[i]
    end
    local y = inputGradient(dims, x, weight, result, w)
    return addBias(y, bias, weight.sizes[2] * w.groups, product(result))
  end
end

for dims = 1, 3 do family(dims) end

return reference
