-- Group C: reductions, scans and sorting.
local torch = require 'torch'
local measure = require 'measure'

local operations = {
  { 'sum', function(x) x:sum() end },
  { 'sum0', function(x) return x:sum(1) end },
  { 'sum1', function(x) return x:sum(2) end },
  { 'max1', function(x) return x:max(2) end },
  { 'argmax1', function(x) return torch.argmax(x, 2) end },
  { 'norm', function(x) x:norm() end },
  { 'var0', function(x) return x:var(1) end },
  { 'softmax1', function(x) return torch.softmax(x, 2) end },
  { 'logsumexp1', function(x) return torch.logsumexp(x, 2) end },
  { 'cumsum1', function(x) return torch.cumsum(x, 2) end },
}

local function C(id, f, ...)
  local sizes = { ... }
  measure.workload('C.' .. id, function()
    local x = torch.randn(unpack(sizes))
    return function() f(x) end
  end)
end

for _, size in ipairs { { 250, 400, '1e5' }, { 2500, 4000, '1e7' } } do
  for _, operation in ipairs(operations) do C(operation[1] .. '.' .. size[3], operation[2], size[1], size[2]) end
end
C('sort.1e6', function(x) return torch.sort(x) end, 1000000)
C('topk.1e6', function(x) return torch.topk(x, 100, 1, true, true) end, 1000000)
