-- Ops that take several elements together on an emulated GPU, of sizes that many threads, blocks and launches share out, which the sweeps'
-- small samples don't reach. The reference is the CPU's result in double.
local torch = require 'torch'

torch.loadDevice(require('spec.support.gpu').path)

local function same(x) return x end

-- Sizes, and a view of a tensor with these sizes.
local shapes = {
  { 'a long vector', { 50001 }, same },
  { 'few long rows', { 3, 20011 }, same },
  { 'many short rows', { 700, 37 }, same },
  { 'long columns', { 5003, 21 }, same },
  { 'a transposed matrix', { 40, 300 }, function(x) return x:t() end },
  { 'a slice of rows', { 60, 900 }, function(x) return x:narrow(2, 4, 801) end },
  { 'a slice between others', { 9, 650, 13 }, function(x) return x:select(3, 5) end },
  { 'planes', { 5, 300, 17 }, same },
}

local function results(...)
  local all = {}
  for i = 1, select('#', ...) do
    local value = select(i, ...)
    all[i] = type(value) == 'userdata' and value:to('cpu'):double() or torch.DoubleTensor { tonumber(value) or (value and 1 or 0) }
  end
  return all
end

--- f(x) on both devices, where x has `sizes` and is seen through `view`.
local function compare(f, sizes, view, dtype, tolerance)
  local generator = torch.Generator()
  torch.manualSeed(generator, 11)
  local x = torch.randn(generator, torch.LongStorage(sizes))
  if dtype == 'torch.IntTensor' then x = torch.floor(x * 50) end
  x = x:type(dtype)
  local expected, found = results(f(view(x:double()))), results(f(view(x:to 'cuda:1')))
  assert.equal(#expected, #found)
  for i = 1, #expected do
    assert.same(expected[i]:size():totable(), found[i]:size():totable())
    local scale = math.max(1, torch.abs(expected[i]):max())
    local difference = torch.abs(expected[i] - found[i]):max()
    assert.is_true(difference <= tolerance * scale, ('differs by %g of %g'):format(difference, scale))
  end
end

--- For each dimension of each shape.
local function everywhere(f, dtype, tolerance)
  return function()
    for _, shape in ipairs(shapes) do
      local _, sizes, view = unpack(shape)
      for dim = 1, view(torch.DoubleTensor(torch.LongStorage(sizes))):dim() do
        compare(function(x) return f(x, dim) end, sizes, view, dtype, tolerance)
      end
    end
  end
end

local function whole(f, dtype, tolerance)
  return function()
    for _, shape in ipairs(shapes) do compare(f, shape[2], shape[3], dtype, tolerance) end
  end
end

describe('what many threads share out on an emulated GPU:', function()
  for _, name in ipairs { 'max', 'min', 'argmax', 'argmin', 'any', 'all', 'sum' } do
    local f = torch[name]
    it(name .. ' of integers, with ties', everywhere(f, 'torch.IntTensor', 0))
    it(name .. ' of all integers', whole(f, 'torch.IntTensor', 0))
  end
  for _, name in ipairs { 'sum', 'mean', 'norm', 'var', 'std', 'max', 'argmin' } do
    local f = torch[name]
    local along = name == 'norm' and function(x, dim) return f(x, 2, dim) end or f
    it(name .. ' of floats', everywhere(along, 'torch.FloatTensor', 1e-6))
    it(name .. ' of all floats', whole(f, 'torch.FloatTensor', 1e-6))
  end
  it('prod, which is taken in order', everywhere(function(x, dim) return torch.prod(torch.add(torch.mul(x, 0.001), 1), dim) end,
    'torch.FloatTensor', 1e-3))

  for _, name in ipairs { 'cummax', 'cummin', 'cumsum' } do
    it(name .. ' of integers, with ties', everywhere(torch[name], 'torch.IntTensor', 0))
  end
  for _, name in ipairs { 'cumsum', 'logcumsumexp', 'softmax', 'logsoftmax', 'logsumexp' } do
    it(name, everywhere(torch[name], 'torch.FloatTensor', 1e-5))
  end
  for _, name in ipairs { 'softmax_grad', 'logsoftmax_grad' } do
    it(name, everywhere(function(x, dim) return torch[name](x, torch.mul(x, -0.25), dim) end, 'torch.FloatTensor', 1e-5))
  end
  it('logcumsumexp_grad', everywhere(function(x, dim)
    local y = torch.logcumsumexp(x, dim)
    return torch.logcumsumexp_grad(x, x, y, dim), torch.logcumsumexp_grad(x, x, y, dim, true)
  end, 'torch.DoubleTensor', 1e-9))

  it('layerNorm and rmsNorm', whole(function(x)
    local row = x:dim() == 1 and x or x:select(1, 2)
    local weight = row:dim() > 1 and row:select(1, 1) or row
    local y, mean, invstd = torch.layerNorm(x, weight, weight)
    local z, invrms = torch.rmsNorm(x, weight)
    return y, mean, invstd, z, invrms
  end, 'torch.FloatTensor', 1e-4))
  it('their gradients', whole(function(x)
    local y, mean, invstd = torch.layerNorm(x)
    local z, invrms = torch.rmsNorm(x)
    local a, b, c = torch.layerNorm_grad(z, x, nil, mean, invstd)
    local d, e = torch.rmsNorm_grad(y, x, nil, invrms)
    return a, b, c, d, e
  end, 'torch.DoubleTensor', 1e-9))
  it('batchNorm', whole(function(x)
    x = x:dim() > 1 and x or x:view(1, 1, -1)
    local channels = x:size(2)
    local zeros = torch.zeros(channels):to(x:device())
    local mean, var = torch.add(zeros, 1), torch.add(zeros, 2)
    local y, used, invstd = torch.batchNorm(x, nil, mean, mean, var, true)
    local a, b, c = torch.batchNorm_grad(torch.cmul(x, x), x, nil, used, invstd, true)
    return y, used, invstd, mean, var, torch.batchNorm(x, nil, nil, mean, var, false), a, b, c
  end, 'torch.DoubleTensor', 1e-9))

  it('nll_loss', function()
    for _, sizes in ipairs { { 40, 10 }, { 20011, 3 }, { 40, 5, 300 } } do
      compare(function(x)
        local places = x:nElement() / x:size(2)
        local target = torch.add(torch.fmod(torch.range(1, places), x:size(2)), 1):to(x:device())
        local loss, total = torch.nll_loss(x, target)
        return loss, total, torch.nll_loss_grad(loss, x:size(), target, total)
      end, sizes, same, 'torch.DoubleTensor', 1e-12)
    end
  end)
  it('match', function()
    for _, sizes in ipairs { { 40, 10 }, { 3, 70 }, { 17, 33 } } do
      compare(function(x) return torch.match(x, x:narrow(1, 1, 2)) end, sizes, same, 'torch.FloatTensor', 1e-6)
    end
  end)
  it('equal', function()
    local x = torch.zeros(100003):to 'cuda:1'
    local y = x:clone()
    assert.is_true(torch.equal(x, y))
    for _, i in ipairs { 1, 50000, 100003 } do
      y[i] = 1
      assert.is_false(torch.equal(x, y))
      y[i] = -0.0
      assert.is_true(torch.equal(x, y))
    end
  end)
end)
