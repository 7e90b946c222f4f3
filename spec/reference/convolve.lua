-- Torch7's convolutions by their definition: every product of image and kernel is added where it belongs.
local tensor = require('spec.reference.view').tensor

-- One image or volume x with one kernel; `sign` is 1 for convolution (the kernel is turned), -1 for correlation. Full sizes.
local function everyProduct(x, kernel, sign)
  local sizes = {}
  for d = 1, #x.sizes do sizes[d] = x.sizes[d] + kernel.sizes[d] - 1 end
  return tensor.build(sizes, function(index)
    local sum, at = 0, tensor.copied(index)
    tensor.build(kernel.sizes, function(k)
      local from, inside = {}, true
      for d = 1, #k do
        from[d] = sign > 0 and at[d] - k[d] + 1 or at[d] + k[d] - kernel.sizes[d]
        inside = inside and from[d] >= 1 and from[d] <= x.sizes[d]
      end
      if inside then sum = sum + tensor.element(x, from) * tensor.element(kernel, k) end
    end)
    return sum
  end)
end

-- The part where the kernel lies within x.
local function valid(y, kernel)
  local sizes, first = {}, {}
  for d = 1, #y.sizes do sizes[d], first[d] = y.sizes[d] - 2 * (kernel.sizes[d] - 1), kernel.sizes[d] end
  return tensor.build(sizes, function(index)
    local from = {}
    for d = 1, #index do from[d] = index[d] + first[d] - 1 end
    return tensor.element(y, from)
  end)
end

-- Slice i of the first dimension.
local function slice(x, i)
  local sizes = { unpack(x.sizes, 2) }
  local n, data = tensor.product(sizes), {}
  for k = 1, n do data[k] = x.data[(i - 1) * n + k] end
  return { sizes = sizes, data = data }
end

local function stacked(list)
  local data = {}
  for _, x in ipairs(list) do
    for _, v in ipairs(x.data) do data[#data + 1] = v end
  end
  return { sizes = { #list, unpack(list[1].sizes) }, data = data }
end

local function convolution(first, sign)
  return function(x, kernel, mode)
    local function one(a, k)
      local y = everyProduct(a, k, sign)
      return mode == 'F' and y or valid(y, k)
    end
    if #x.sizes == first then return one(x, kernel) end
    local results = {}
    if #kernel.sizes == first + 1 then
      for i = 1, x.sizes[1] do results[i] = one(slice(x, i), slice(kernel, i)) end
      return stacked(results)
    end
    for out = 1, kernel.sizes[1] do
      for i = 1, x.sizes[1] do
        local y = one(slice(x, i), slice(slice(kernel, out), i))
        local sum = results[out]
        for k, v in ipairs(sum and y.data or {}) do sum.data[k] = sum.data[k] + v end
        results[out] = sum or y
      end
    end
    return stacked(results)
  end
end

return { conv2 = convolution(2, 1), xcorr2 = convolution(2, -1), conv3 = convolution(3, 1), xcorr3 = convolution(3, -1) }
