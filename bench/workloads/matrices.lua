-- Group D: matrix products.
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
