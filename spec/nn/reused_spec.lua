-- Gradients by inputs reuse the memory of those of the last backward, unless that would change data that is still needed.
local torch, nn = require 'torch', require 'nn'

local function vector(a, b) return torch.Tensor { a, b } end

describe('gradInput of a module that is given tables', function()
  it('is made of the tensors of the last one', function()
    local x, y = vector(1, 2), vector(3, 4)
    for name, case in pairs {
      concat = { nn.ConcatTable():add(nn.Identity()):add(nn.Identity()), { x, y }, { { x, y }, { y, x } } },
      concatOfOne = { nn.ConcatTable():add(nn.Identity()):add(nn.Identity()), x, { x, y } },
      select = { nn.SelectTable(2), { x, y }, x },
      narrow = { nn.NarrowTable(2, 1), { x, y, { x, y } }, { x } },
    } do
      local m, input, g = unpack(case)
      m:forward(input)
      local first = torch.isTensor(input) and { m:backward(input, g) } or { unpack(m:backward(input, g)) }
      local made = torch.memory().userdata
      local again = m:backward(input, g)
      assert.equal(made, torch.memory().userdata, name)
      again = torch.isTensor(again) and { again } or again
      for i = 1, #first do assert.is_true(rawequal(first[i], again[i]), name) end
    end
  end)

  it('is another where it was given back as gradOutput', function()
    local x = vector(1, 2)
    local net = nn.ConcatTable():add(nn.MulConstant(2)):add(nn.Identity())
    net:forward(x)
    local g = net:backward(x, { vector(1, 1), vector(10, 10) })
    assert.same({ 12, 12 }, g:totable())
    assert.same({ 14, 14 }, net:backward(x, { vector(1, 1), g }):totable())
    assert.same({ 12, 12 }, g:totable())
    local last = net:updateGradInput(x, { g, vector(0, 0) })
    assert.same({ 24, 24 }, last:totable())
    assert.same({ 12, 12 }, g:totable())                          -- for accGradParameters, the next call
  end)

  it('is another where entries change places, or a table was given back', function()
    local a, b = vector(1, 2), vector(3, 4)
    local swap = nn.ConcatTable():add(nn.ConcatTable():add(nn.SelectTable(2)):add(nn.SelectTable(1))):add(nn.Identity())
    swap:forward { a, b }
    local function back(g, h) return swap:backward({ a, b }, { g, h }) end
    local g = back({ vector(1, 1), vector(2, 2) }, { vector(10, 10), vector(20, 20) })
    assert.same({ { 12, 12 }, { 21, 21 } }, { g[1]:totable(), g[2]:totable() })
    local given = { g[1], g[2] }
    g = back(given, g)
    assert.same({ { 33, 33 }, { 33, 33 } }, { g[1]:totable(), g[2]:totable() })
    assert.same({ { 12, 12 }, { 21, 21 } }, { given[1]:totable(), given[2]:totable() })

    local narrow = nn.NarrowTable(1, 1)
    narrow:forward { a, b }
    local zeros = narrow:backward({ a, b }, { vector(5, 5) })[2]
    local wide = narrow:backward({ a, b }, { zeros })
    assert.is_true(rawequal(zeros, wide[1]))
    assert.is_false(rawequal(zeros, wide[2]))

    local select = nn.SelectTable(1)
    select:forward { a, b }
    g = select:backward({ a, b }, vector(5, 5))
    local fed = g[1]
    select:backward({ a, b }, fed)
    assert.same({ 5, 5 }, fed:totable())
  end)

  it('leaves what a view shows, and follows sizes and types', function()
    local m, x = nn.SelectTable(1), vector(1, 2)
    m:forward { x, x }
    local seen = m:backward({ x, x }, vector(5, 6))[1]:narrow(1, 1, 1)
    m:backward({ x, x }, vector(7, 8))
    assert.equal(5, seen[1])
    local y = torch.FloatTensor { 1, 2, 3 }
    m:forward { y, y, y }
    local g = m:backward({ y, y, y }, torch.FloatTensor { 1, 1, 1 })
    assert.same({ 'torch.FloatTensor', 3, 3 }, { g[3]:type(), g[2]:nElement(), #g })
    m:forward { y }
    assert.equal(1, #m:backward({ y }, y))
  end)
end)
