-- Group D: matrix products and decompositions.
local torch = require 'torch'
local measure = require 'measure'

local function product(id, multiply, resultSizes, aSizes, bSizes, convert)
  measure.workload('D.' .. id, function()
    local function made(sizes)
      local t = torch.randn(unpack(sizes))
      return convert and t[convert](t) or t
    end
    local a, b, result = made(aSizes), made(bSizes), made(resultSizes)
    return function() multiply(result, a, b) end
  end)
end

for _, n in ipairs { 128, 256, 512, 1024, 2048 } do product('mm' .. n, torch.mm, { n, n }, { n, n }, { n, n }) end
product('mm1024.f64', torch.mm, { 1024, 1024 }, { 1024, 1024 }, { 1024, 1024 }, 'double')
product('bmm64', torch.bmm, { 64, 64, 64 }, { 64, 64, 64 }, { 64, 64, 64 })
product('gemv', torch.mv, { 2048 }, { 2048, 2048 }, { 2048 })

local function decomposition(id, n, decompose)
  for _, precision in ipairs { { 'f32', 'float' }, { 'f64', 'double' } } do
    local tag, convert = unpack(precision)
    measure.workload(('D.%s.%s'):format(id, tag), function()
      local a, b = torch.randn(n, n), torch.randn(n, 1)
      a, b = a[convert](a), b[convert](b)
      local p = torch.mm(a, a:t()):div(n):add(torch.eye(n):typeAs(a))
      return function() return decompose(a, p, b) end
    end)
  end
end

decomposition('svd512', 512, function(a) return torch.svd(a) end)
decomposition('eigh512', 512, function(_, p) return torch.symeig(p, 'V') end)
decomposition('qr512', 512, function(a) return torch.qr(a) end)
decomposition('solve1024', 1024, function(a, _, b) return torch.solve(a, b) end)
decomposition('cholesky1024', 1024, function(_, p) return torch.cholesky(p) end)
