-- Convolution and its gradients, every product of the sum visited one by one. A tensor is { sizes = {...}, data = {...} }.
local reference = {}

-- A tensor of zeros, and where its element (i, j, k, l) is.
local function zeros(...)
  local x = { sizes = { ... }, data = {} }
  local n = 1
  for _, size in ipairs(x.sizes) do n = n * size end
  for i = 1, n do x.data[i] = 0 end
  return x
end

local function place(x, i, j, k, l)
  local s = x.sizes
  return ((i * s[2] + j) * s[3] + k) * s[4] + l + 1
end

local function batched(x)
  if #x.sizes == 4 then return x, false end
  return { sizes = { 1, unpack(x.sizes) }, data = x.data }, true
end

local function unbatched(x, alone)
  if alone then table.remove(x.sizes, 1) end
  return x
end

-- Calls visit(image, output channel, row, column, input channel, its row, its column, its channel in the group, kernel row, kernel column)
-- for every product that a convolution of an image of h x w adds up.
local function products(n, inputs, h, w, outputs, kh, kw, options, visit)
  local strideH, strideW, padH, padW = options[1] or 1, options[2] or 1, options[3] or 0, options[4] or 0
  local dilationH, dilationW, groups = options[5] or 1, options[6] or 1, options[7] or 1
  local rows = math.floor((h + 2 * padH - dilationH * (kh - 1) - 1) / strideH) + 1
  local columns = math.floor((w + 2 * padW - dilationW * (kw - 1) - 1) / strideW) + 1
  local perGroup, outPerGroup = inputs / groups, outputs / groups
  for image = 0, n - 1 do for out = 0, outputs - 1 do for r = 0, rows - 1 do for c = 0, columns - 1 do
    for own = 0, perGroup - 1 do for i = 0, kh - 1 do for j = 0, kw - 1 do
      local y, x = r * strideH - padH + i * dilationH, c * strideW - padW + j * dilationW
      if y >= 0 and y < h and x >= 0 and x < w then
        visit(image, out, r, c, math.floor(out / outPerGroup) * perGroup + own, y, x, own, i, j)
      end
    end end end
  end end end end
  return rows, columns
end

function reference.conv2d(x, weight, bias, ...)
  local options = { ... }
  if type(bias) == 'number' then options, bias = { bias, ... }, nil end
  local alone
  x, alone = batched(x)
  local n, inputs, h, w = unpack(x.sizes)
  local outputs, _, kh, kw = unpack(weight.sizes)
  local rows, columns = products(0, inputs, h, w, outputs, kh, kw, options)
  local y = zeros(n, outputs, rows, columns)
  products(n, inputs, h, w, outputs, kh, kw, options, function(image, out, r, c, channel, iy, ix, own, i, j)
    local at = place(y, image, out, r, c)
    y.data[at] = y.data[at] + x.data[place(x, image, channel, iy, ix)] * weight.data[place(weight, out, own, i, j)]
  end)
  for at = 1, bias and #y.data or 0 do
    y.data[at] = y.data[at] + bias.data[math.floor((at - 1) / (rows * columns)) % outputs + 1]
  end
  return unbatched(y, alone)
end

function reference.conv2d_input_grad(g, weight, h, w, ...)
  local options = { ... }
  local alone
  g, alone = batched(g)
  local outputs, perGroup, kh, kw = unpack(weight.sizes)
  local inputs = perGroup * (options[7] or 1)
  local x = zeros(g.sizes[1], inputs, h, w)
  products(g.sizes[1], inputs, h, w, outputs, kh, kw, options, function(image, out, r, c, channel, iy, ix, own, i, j)
    local at = place(x, image, channel, iy, ix)
    x.data[at] = x.data[at] + g.data[place(g, image, out, r, c)] * weight.data[place(weight, out, own, i, j)]
  end)
  return unbatched(x, alone)
end

function reference.conv2d_weight_grad(g, x, kh, kw, ...)
  local options = { ... }
  g, x = batched(g), batched(x)
  local n, inputs, h, w = unpack(x.sizes)
  local outputs = g.sizes[2]
  local weight, bias = zeros(outputs, inputs / (options[7] or 1), kh, kw), zeros(outputs)
  products(n, inputs, h, w, outputs, kh, kw, options, function(image, out, r, c, channel, iy, ix, own, i, j)
    local at = place(weight, out, own, i, j)
    weight.data[at] = weight.data[at] + g.data[place(g, image, out, r, c)] * x.data[place(x, image, channel, iy, ix)]
  end)
  local plane = g.sizes[3] * g.sizes[4]
  for at = 1, #g.data do
    local out = math.floor((at - 1) / plane) % outputs + 1
    bias.data[out] = bias.data[out] + g.data[at]
  end
  return weight, bias
end

return reference
