--- Derivative rules against finite differences, first and second order, away from kinks. (The registry's sweep does the same for every
-- op's own samples; here are the arguments that it may miss: broadcasting, numbers for tensors, dimensions counted from the end.)
local torch = require 'torch'
local autograd = require 'autograd'

-- Numbers that repeat never, none near 0, 1 or each other.
local function numbers(from, to, ...)
  local sizes, count = { ... }, 1
  for i = 1, #sizes do count = count * sizes[i] end
  local values = {}
  for i = 1, count do values[i] = from + (to - from) * ((i * 0.61803398875 + 0.137) % 1) end
  return torch.reshape(torch.DoubleTensor(values), torch.LongStorage(sizes))
end

local function any(...) return numbers(-1.9, 2.1, ...) end
local function positive(...) return numbers(0.3, 2.2, ...) end
local function unit(...) return numbers(-0.9, 0.85, ...) end

local function check(name, f, ...)
  local inputs = { ... }
  it(name, function() assert(autograd.gradcheck(f, inputs)) end)
end

describe('the derivative of', function()
  for _, name in ipairs { 'neg', 'square', 'exp', 'expm1', 'sin', 'cos', 'tanh', 'sinh', 'cosh', 'atan', 'sigmoid', 'softplus', 'erf',
    'abs', 'relu', 'frac' } do
    check(name, torch[name], any(2, 3))
  end
  for _, name in ipairs { 'log', 'log1p', 'sqrt', 'rsqrt', 'cinv' } do
    check(name, torch[name], positive(2, 3))
  end
  for _, name in ipairs { 'asin', 'acos', 'tan' } do
    check(name, torch[name], unit(2, 3))
  end
  for _, name in ipairs { 'add', 'csub', 'cmul', 'cmax', 'cmin', 'logaddexp', 'atan2' } do
    check(name, torch[name], any(2, 3), unit(2, 3))
    check(name .. ', broadcast', torch[name], any(2, 1), unit(1, 3))
    check(name .. ', broadcast to more dimensions', torch[name], any(2, 2, 3), unit(3))
  end
  check('cdiv', torch.cdiv, any(2, 3), positive(1, 3))
  check('fmod', torch.fmod, any(2, 3), positive(2, 3))
  check('remainder', torch.remainder, any(2, 3), positive(2, 3))
  check('pow', torch.pow, positive(2, 3), any(1, 3))
  check('pow to a number', function(x) return torch.pow(x, 3), torch.pow(x, 2), torch.pow(x, 1), torch.pow(x, 0) end, any(2, 3))
  check('pow of a number', function(x) return torch.pow(1.7, x) end, any(2, 3))
  check('ops with a number', function(x)
    return torch.add(x, 2), torch.csub(x, 2), torch.rsub(x, 2), torch.mul(x, 2), torch.div(x, 3)
  end, any(2, 3))
  check('elementwise ops with a number', function(x)
    return torch.cmul(x, 3), torch.cdiv(x, 3), torch.cmax(x, 0.1), torch.cmin(x, 0.1)
  end, any(2, 3))
  check('add and csub with a factor', function(x, y) return torch.add(x, -3, y), torch.csub(x, 2, y) end, any(2, 3), any(3))
  check('addcmul', function(x, a, b) return torch.addcmul(x, 0.7, a, b) end, any(2, 3), any(1, 3), any(2, 1))
  check('addcdiv', function(x, a, b) return torch.addcdiv(x, 0.7, a, b) end, any(2, 3), any(1, 3), positive(2, 1))
  check('lerp', function(a, b, w) return torch.lerp(a, b, w), torch.lerp(a, b, 0.3) end, any(2, 3), any(2, 3), positive(2, 3))
  check('clamp', function(x) return torch.clamp(x, -0.7, 0.9) end, any(2, 4))
  check('where', function(x, y)
    return torch.where(torch.gt(x, 0.2), torch.square(x), y), torch.where(torch.lt(x, 0), x, 3)
  end, any(2, 3), any(1, 3))
  check('steps', function(x) return torch.add(torch.floor(x), x), torch.cmul(torch.sign(x), x), torch.add(torch.ceil(x), x) end, any(2, 3))
  check('a long vector', function(x) return torch.tanh(torch.cmul(x, x)) end, any(50))

  -- views
  check('narrow and select', function(x)
    return torch.narrow(x, 2, 2, 2), torch.narrow(x, -1, 1, 1), torch.select(x, 1, 2), torch.select(x, -1, -1)
  end, any(2, 3))
  check('select of a vector', function(x) return torch.select(x, 1, 2) end, any(3))
  check('transpose, t and permute', function(x, m)
    return torch.transpose(x, 1, 3), torch.transpose(x, -1, 1), torch.permute(x, 3, 1, 2), torch.t(m)
  end, any(2, 3, 2), any(2, 3))
  check('view, reshape, squeeze and unsqueeze', function(x)
    return torch.view(x, 3, 2), torch.reshape(x:t(), 6), torch.squeeze(torch.view(x, 1, 6, 1)), torch.unsqueeze(x, 2)
  end, any(2, 3))
  check('expand and repeatTensor', function(x)
    return torch.expand(x, 2, 3, 2), torch.repeatTensor(x, 2, 1, 2), torch.repeatTensor(x, 1, 1), torch.repeatTensor(x, 3, 1)
  end, any(3, 1))
  check('unfold', function(x) return torch.unfold(x, 1, 3, 1), torch.unfold(x, 2, 2, 1) end, any(4, 3))
  check('sub', function(x) return x:sub(1, 2, 2, -1) end, any(3, 3))
  check('cat', function(x, y) return torch.cat(x, y, 1), torch.cat({ x, y, x }, 1), torch.cat({ x, x }, 3) end, any(2, 3), any(1, 3))
  check('diag', function(x, m, n)
    return torch.diag(x, 1), torch.diag(m), torch.diag(m, -1), torch.diag(n, 1)
  end, any(3), any(2, 3), any(3, 2))
  check('clone, contiguous and copy', function(x)
    return torch.clone(x), x:t():contiguous(), torch.DoubleTensor(2, 3):copy(x)
  end, any(2, 3))

  -- reductions
  check('sum and mean', function(x)
    return torch.sum(x), torch.sum(x, 1), torch.sum(x, -1), torch.mean(x), torch.mean(x, 2)
  end, any(2, 3))
  check('prod', function(x) return torch.prod(x), torch.prod(x, 2) end, any(2, 3))
  check('max and min', function(x)
    local a, b = torch.max(x, 2), torch.min(x, 1)
    return a, b, (torch.max(x)), (torch.min(x))
  end, any(3, 4))
  check('norm', function(x)
    return torch.norm(x), torch.norm(x, 1), torch.norm(x, 3), torch.norm(x, 2, 1), torch.norm(x, 1.5, 2)
  end, any(2, 3))
  check('norms of small and negative powers', function(x)
    return torch.norm(x, 0.5), torch.norm(x, -1), torch.norm(x, -2.5, 1), torch.norm(x, -math.huge, 2)
  end, any(2, 3))
  it('norms of small and negative powers is 0 by an element that is 0', function()
    for _, p in ipairs { 0.5, -1, -2.5 } do
      local x = torch.DoubleTensor { 0, 2 }:requiresGrad()
      torch.norm(x, p):backward()
      assert.equal(0, x.grad[1])
      assert.equal(p > 0 and 1 or 0, x.grad[2])
    end
  end)
  check('norms of magnitudes', function(x) return torch.norm(x, math.huge), torch.norm(x, math.huge, 2) end, any(2, 3))
  check('var and std', function(x)
    return torch.var(x), torch.var(x, 1), torch.var(x, 2, true), torch.std(x), torch.std(x, 2)
  end, any(3, 3))
  check('cumsum and cumprod', function(x) return torch.cumsum(x, 2), torch.cumsum(x, 1), torch.cumprod(x, 2) end, positive(2, 3))
  check('softmax, logsoftmax and logsumexp', function(x)
    return torch.softmax(x), torch.softmax(x, 1), torch.logsoftmax(x), torch.logsoftmax(x, 1), torch.logsumexp(x, 1)
  end, any(2, 3))

  -- products
  check('dot, mv, mm, ger', function(a, b, x, y)
    return torch.dot(x, y), torch.mv(a, x), torch.mm(a, b), torch.ger(x, y)
  end, any(2, 3), any(3, 2), any(3), unit(3))
  check('bmm', torch.bmm, any(2, 2, 3), unit(2, 3, 2))
  check('addmm with factors', function(m, a, b)
    return torch.addmm(0.5, m, 2, a, b), torch.addmm(m, a, b)
  end, any(2, 2), any(2, 3), any(3, 2))
  check('addmm to a row', function(m, a, b) return torch.addmm(m, a, b) end, any(2), any(2, 3), any(3, 2))
  check('addmv and addr', function(m, a, x, y) return torch.addmv(m, a, x), torch.addr(a, m, y) end, any(2), any(2, 3), any(3), unit(3))
  check('baddbmm', function(m, a, b) return torch.baddbmm(m, 2, a, b) end, any(2, 2, 2), any(2, 2, 3), unit(2, 3, 2))
  check('addbmm', function(m, a, b) return torch.addbmm(m, a, b) end, any(2, 2), any(2, 2, 3), unit(2, 3, 2))
  check('matmul of vectors and matrices', function(m, x, y)
    return torch.matmul(x, y), torch.matmul(m, x), torch.matmul(y, m:t())
  end, any(2, 3), any(3), unit(3))
  check('matmul of batches', function(a, b, x)
    return torch.matmul(a, b), torch.matmul(a, x), torch.matmul(x, torch.transpose(a, -1, -2))
  end, any(2, 1, 2, 3), unit(2, 3, 2), any(3))
  check('linear', function(x, w, b)
    return torch.linear(x, w, b), torch.linear(x, w), torch.linear(x[1], w, b)
  end, any(2, 3), unit(2, 3), any(2))

  -- selection
  local index = torch.LongTensor { 3, 1, 3 }
  check('index', function(x) return torch.index(x, 1, index), torch.index(x, 2, torch.LongTensor { 2, 2 }) end, any(3, 2))
  check('indexAdd, indexCopy, indexFill', function(x, s)
    return torch.indexAdd(x, 1, index, s), torch.indexCopy(x, 1, index, s), torch.indexFill(x, 1, index, 2)
  end, any(3, 2), unit(3, 2))
  local places = torch.LongTensor { { 1, 3 }, { 2, 2 } }
  check('gather', function(x) return torch.gather(x, 1, places), torch.gather(x, 2, places) end, any(3, 3))
  check('scatter and scatterAdd', function(x, s)
    return torch.scatter(x:clone(), 1, places, s), torch.scatterAdd(x, 2, places, s), torch.scatter(x:clone(), 1, places, 2)
  end, any(3, 3), unit(3, 2))
  check('take', function(x) return torch.take(x, torch.LongTensor { { 1, 6 }, { 6, 2 } }) end, any(2, 3))
  local mask = torch.ByteTensor { { 1, 0, 1 }, { 0, 0, 1 } }
  check('masked selection and writing', function(x, s)
    return torch.maskedSelect(x, mask), torch.maskedFill(x, mask, 3), torch.maskedCopy(x, mask, s)
  end, any(2, 3), unit(4))
  check('indexing by keys', function(x)
    return x[2], x[{ 2, 3 }], x[{ {}, { 1, 2 } }], x[mask]
  end, any(2, 3))

  -- convolution and pooling
  check('conv2d', function(x, w, b) return torch.conv2d(x, w, b, 1, 2, 1, 0) end, any(1, 2, 3, 4), unit(2, 2, 2, 2), any(2))
  check('conv2d in groups', function(x, w) return torch.conv2d(x, w, nil, 1, 1, 0, 0, 1, 1, 2) end, any(2, 3, 3), unit(2, 1, 2, 2))
  check('pooling', function(x)
    return torch.maxPool2d(x, 2, 2), torch.avgPool2d(x, 2, 2), torch.avgPool2d(x, 3, 2, 2, 2, 1, 1, true, false)
  end, any(1, 2, 4, 4))

  -- normalisation, with weights whose elements are paired regardless of their sizes
  check('batchNorm', function(x, w, b) return (torch.batchNorm(x, w, b, nil, nil, true)) end, any(5, 4), any(2, 2), any(1, 4))
  check('batchNorm with statistics', function(x, w, b)
    return (torch.batchNorm(x, w, b, torch.zeros(4):double(), torch.ones(4):double()))
  end, any(5, 4), any(2, 2), any(1, 4))
  check('batchNorm by every second element', function(x, w)
    return (torch.batchNorm(x, torch.select(w, 2, 1), torch.select(w, 2, 2), nil, nil, true))
  end, any(5, 4), any(4, 2))
  check('layerNorm', function(x, w, b) return (torch.layerNorm(x, w, b)) end, any(3, 6), any(2, 3), any(3, 2))
  check('groupNorm', function(x, w, b) return (torch.groupNorm(x, 2, w, b)) end, any(2, 6, 3), any(2, 3), any(3, 2))
  check('rmsNorm', function(x, w) return (torch.rmsNorm(x, w)) end, any(3, 6), any(2, 3))
end)
