-- Group B: elementwise operations in three sizes.
local torch = require 'torch'
local measure = require 'measure'

local operations = {
  add = function(d) return function() torch.add(d.o, d.x, d.y) end end,
  add_new = function(d) return function() return d.x + d.y end end,
  muladd = function(d) return function() torch.addcmul(d.o, d.z, 1, d.x, d.y) end end,
  exp = function(d) return function() torch.exp(d.o, d.x) end end,
  tanh = function(d) return function() torch.tanh(d.o, d.x) end end,
  sigmoid = function(d) return function() torch.sigmoid(d.o, d.x) end end,
  relu = function(d) return function() torch.relu(d.o, d.x) end end,
  gt = function(d) return function() torch.gt(d.mask, d.x, d.y) end end,
  where = function(d)
    local condition = torch.gt(d.x, 0)
    return function() return torch.where(condition, d.x, d.y) end
  end,
  addrow = function(d)
    local row = torch.randn(d.columns)
    return function() torch.add(d.o, d.x, row) end
  end,
  addcol = function(d)
    local column = torch.randn(d.rows, 1)
    return function() torch.add(d.o, d.x, column) end
  end,
  transpose = function(d)
    local turned = torch.FloatTensor(d.columns, d.rows)
    return function() turned:copy(d.x:t()) end
  end,
  strided = function(d)
    local wide = torch.randn(d.rows, 2 * d.columns)
    return function() d.o:copy(wide:unfold(2, 1, 2):select(3, 1)) end
  end,
  chain5 = function(d) return function() return torch.relu(torch.cmul(d.x, d.y) + torch.sin(d.z) - d.x) end end,
}
local order = {
  'add', 'add_new', 'muladd', 'exp', 'tanh', 'sigmoid', 'relu', 'gt', 'where', 'addrow', 'addcol', 'transpose', 'strided', 'chain5',
}

for _, size in ipairs { { 25, 40, '1e3' }, { 250, 400, '1e5' }, { 2500, 4000, '1e7' } } do
  local rows, columns, tag = unpack(size)
  for _, name in ipairs(order) do
    measure.workload(('B.%s.%s'):format(name, tag), function()
      return operations[name] {
        rows = rows, columns = columns, x = torch.randn(rows, columns), y = torch.randn(rows, columns), z = torch.randn(rows, columns),
        o = torch.FloatTensor(rows, columns), mask = torch.ByteTensor(rows, columns),
      }
    end)
  end
end
