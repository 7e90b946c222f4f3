-- Times of products, convolutions and attention of 8-bit integers next to those of float32: `th bench/int8.lua [threads]`. Both run in
-- turns, and each line has the least times in milliseconds; bench/int8_peer.py measures the same shapes with other libraries.
local torch = require 'torch'
torch.setdefaulttensortype 'torch.FloatTensor'
torch.setnumthreads(tonumber(arg and arg[1]) or 1)

local products = { { 1, 1024, 1024 }, { 16, 1024, 1024 }, { 64, 256, 1024 }, { 64, 1024, 1024 }, { 128, 512, 512 }, { 256, 1024, 1024 } }
-- Images, channels, size, filters, their size, stride, padding, groups.
local convolutions = {
  { 1, 64, 56, 64, 3, 1, 1, 1 }, { 1, 128, 28, 128, 3, 1, 1, 1 }, { 8, 32, 28, 64, 3, 1, 1, 1 }, { 1, 256, 14, 1024, 1, 1, 0, 1 },
  { 1, 3, 224, 64, 7, 2, 3, 1 }, { 1, 3, 224, 32, 3, 2, 1, 1 }, { 1, 512, 7, 512, 3, 1, 1, 1 }, { 1, 96, 56, 96, 3, 1, 1, 96 },
}
-- Batch, heads, length, size of a head.
local attentions = { { 8, 12, 128, 64 }, { 1, 12, 128, 64 }, { 8, 12, 64, 32 }, { 4, 12, 512, 64 }, { 1, 8, 1024, 64 } }

local function milliseconds(run, times)
  local timer = torch.Timer()
  for _ = 1, times do run() end
  return timer:time().real * 1000 / times
end

-- The least times of runs in turns: other programs only ever make a run longer.
local function compare(runs)
  local least, times = {}, {}
  for i, run in ipairs(runs) do
    milliseconds(run, 2)
    least[i], times[i] = math.huge, math.max(1, math.floor(1 / math.max(0.001, milliseconds(run, 3))))
  end
  for _ = 1, 150 do
    for i, run in ipairs(runs) do least[i] = math.min(least[i], milliseconds(run, times[i])) end
  end
  return least
end

local function integers(type, ...) return torch.rand(...):mul(200):floor():add(type == 'torch.CharTensor' and -100 or 0):type(type) end

local function row(name, times)
  print(('%-40s %8.3f %8.3f %6.2f'):format(name, times[1], times[2], times[1] / times[2]))
end

print(('%-40s %8s %8s %6s'):format('', 'float32', 'int8', 'ratio'))
for _, shape in ipairs(products) do
  local m, k, n = unpack(shape)
  local x, w, bias = torch.rand(m, k), torch.rand(n, k), torch.rand(n)
  local q, packed = integers('torch.ByteTensor', m, k), torch.int8Pack(integers('torch.CharTensor', n, k))
  local multiplier = torch.rand(n):mul(1e-3)
  row(('%d x %d by %d x %d'):format(m, k, k, n), compare {
    torch.graph.capture(function(a) return torch.linear(a, w, bias) end, { x }):prepare(x),
    torch.graph.capture(function(a)
      return torch.int8Linear(a, packed, n, 3, multiplier, bias, nil, 7, 'torch.ByteTensor')
    end, { q }):prepare(q),
  })
end
for _, shape in ipairs(convolutions) do
  local images, inner, size, outer, kernel, stride, pad, groups = unpack(shape)
  local x, w, bias = torch.rand(images, inner, size, size), torch.rand(outer, inner / groups, kernel, kernel), torch.rand(outer)
  local q = integers('torch.ByteTensor', images, inner, size, size):channelsLast()
  local packed = torch.int8Pack(integers('torch.CharTensor', outer, inner / groups, kernel, kernel), groups)
  local multiplier, window = torch.rand(outer):mul(1e-3), { stride, stride, pad, pad, pad, pad, 1, 1 }
  local name = ('%d x %d, %s%d channels of %d x %d to %d%s'):format(kernel, kernel, images > 1 and images .. ' images, ' or '', inner, size,
    size, outer, groups > 1 and ', each alone' or '')
  row(name, compare {
    torch.graph.capture(function(a) return torch.conv2d(a, w, bias, stride, stride, pad, pad, 1, 1, groups) end, { x }):prepare(x),
    torch.graph.capture(function(a)
      return torch.int8Conv2d(a, packed, outer, { kernel, kernel }, 3, multiplier, bias, nil, 7, 'torch.ByteTensor', window, groups)
    end, { q }):prepare(q),
  })
end
for _, shape in ipairs(attentions) do
  local size = shape[4]
  local q, k, v = torch.randn(unpack(shape)), torch.randn(unpack(shape)), torch.randn(unpack(shape))
  local step = 4 / 127
  local function quantized(x) return torch.quantize(x, torch.FloatTensor { step }, torch.IntTensor { 128 }, nil, 'torch.ByteTensor') end
  local a, b, c = quantized(q), quantized(k), quantized(v)
  local function run(f, ...) return torch.graph.capture(f, { ... }):prepare(...) end
  local function named(what) return ('%s, %s'):format(what, table.concat(shape, ' x ')) end
  local attention = run(torch.scaledDotProductAttention, q, k, v)
  local product = run(function(x, y) return torch.matmul(x, y:transpose(3, 4)) end, q, k)
  local function with(f, ...)
    local prepared, inputs = run(f, ...), { ... }
    return function() prepared(unpack(inputs)) end
  end
  local function floats() attention(q, k, v) end
  row(named 'attention', compare { floats, with(function(x, y, z)
    return torch.int8Attention(x, y, z, nil, false, step ^ 2 / math.sqrt(size), 128, 128, 2, 128, 'torch.ByteTensor')
  end, a, b, c) })
  row(named 'attention of floats', compare { floats, with(function(x, y, z) return torch.int8Attention(x, y, z) end, q, k, v) })
  row(named 'queries by keys', compare { function() product(q, k) end, with(function(x, y)
    return torch.int8Matmul(x, y:transpose(3, 4), 128, 128, 1e-3, 128, 'torch.ByteTensor')
  end, a, b) })
end
