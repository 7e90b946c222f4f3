-- Tables and tensors that are the same objects in each call, and those that are the arguments.
local torch = require 'torch'
local nn = require 'nn'
local assertClose = require('spec.support.close').assertClose

local function x(...) return torch.randn(...) end
local function pair() return { x(3, 2), x(3, 2) } end
local function made(text) return assert(loadstring('return (...).' .. text))(nn) end

-- Results of two calls with new inputs.
local function twice(text, input, gradOutput)
  local m = made(text)
  local outputs, gradients = {}, {}
  for i = 1, 2 do
    local given = input()
    outputs[i] = m:forward(given)
    gradients[i] = m:backward(given, gradOutput())
    assert.is_true(rawequal(outputs[i], m.output))
    assert.is_true(rawequal(gradients[i], m.gradInput))
  end
  return outputs, gradients
end

local function one(...)
  local sizes = { ... }
  return function() return x(unpack(sizes)) end
end

describe('From call to call the same', function()
  for text, kinds in pairs {
    ['Linear(2, 4)'] = { one(3, 2), one(3, 4) }, ['Concat(1):add(nn.Tanh()):add(nn.Tanh())'] = { one(3, 2), one(6, 2) },
    ['DepthConcat(1):add(nn.Tanh()):add(nn.Narrow(2, 1, 2))'] = { one(2, 4), one(4, 4) },
    ['Parallel(1, 1):add(nn.Tanh()):add(nn.Tanh())'] = { one(2, 3), one(6) }, ['Sequential():add(nn.Tanh())'] = { one(3, 2), one(3, 2) },
    ['JoinTable(1)'] = { pair, one(6, 2) }, ['MapTable(nn.Tanh())'] = { pair, pair },
    ['ConcatTable():add(nn.Tanh()):add(nn.Tanh())'] = { one(3, 2), pair },
    ['ParallelTable():add(nn.Tanh()):add(nn.Tanh())'] = { pair, pair }, ['NarrowTable(1, 2)'] = { pair, pair },
    ['CAddTable()'] = { pair, one(3, 2) }, ['CSubTable()'] = { pair, one(3, 2) }, ['CMulTable()'] = { pair, one(3, 2) },
    ['CDivTable()'] = { pair, one(3, 2) }, ['CMaxTable()'] = { pair, one(3, 2) }, ['CosineDistance()'] = { pair, one(3) },
    ['DotProduct()'] = { pair, one(3) }, ['PairwiseDistance(2)'] = { pair, one(3) }, ['MM(false, true)'] = { pair, one(3, 3) },
    ['Bilinear(2, 2, 1)'] = { pair, one(3, 1) },
  } do
    it('output and gradInput are those of nn.' .. text, function()
      text = text:gsub('nn%.', '(...).')
      local outputs, gradients = twice(text, kinds[1], kinds[2])
      assert.is_true(rawequal(outputs[1], outputs[2]))
      assert.is_true(rawequal(gradients[1], gradients[2]))
    end)
  end

  it('table grows and shrinks with the input', function()
    local m = nn.MapTable(nn.MulConstant(2))
    local output = m:forward { torch.ones(1), torch.ones(1), torch.ones(1) }
    m:forward { torch.ones(2) }
    assert.equal(1, #output)
    assertClose({ 2, 2 }, output[1])
    local add = nn.CAddTable()
    local gradInput = add:backward(pair(), add:forward(pair()))
    local three = { x(2), x(2), x(2) }
    assert.is_true(rawequal(gradInput, add:backward(three, add:forward(three))))
    assert.equal(3, #gradInput)
  end)

  it('tensors in a gradInput are views of what came last', function()
    local m, input = nn.CMulTable(), { torch.Tensor { 2, 3 }, torch.Tensor { 5, 7 } }
    local first = m:backward(input, m:forward(input):fill(1))[1]
    assertClose({ 5, 7 }, first)
    input[2]:mul(2)
    m:forward(input)
    m:backward(input, torch.ones(2))
    assertClose({ 10, 14 }, first)
  end)
end)

describe('From call to call anew', function()
  it('come the states of a recurrent cell, which steps keep', function()
    local cell = require 'nn'.LSTMCell(2, 2)
    local first = cell:forward(x(3, 2))
    local h = first[1]:clone()
    local second = cell:forward { x(3, 2), first[1], first[2] }
    assert.is_false(rawequal(first, second) or rawequal(first[1], second[1]))
    assertClose(h, first[1])
  end)
end)

describe('The very tensors that came are', function()
  local a, b = x(2), x(3)

  it("nn.NarrowTable's, and zeros stand in other places", function()
    local m, input, g = nn.NarrowTable(2, 2), { x(1), a, b, { x(4) } }, { x(2), x(3) }
    local output = m:forward(input)
    assert.is_true(rawequal(output[1], a) and rawequal(output[2], b))
    local gradInput = m:backward(input, g)
    assert.is_true(rawequal(gradInput[2], g[1]) and rawequal(gradInput[3], g[2]))
    assertClose({ 0 }, gradInput[1])
    assertClose({ 0, 0, 0, 0 }, gradInput[4][1])
  end)

  it("nn.ZipTable's", function()
    local m, g = nn.ZipTable(), x(2)
    local input = { { a, b }, { b, a } }
    assert.is_true(rawequal(m:forward(input)[2][1], b))
    assert.is_true(rawequal(m:backward(input, { { g, b }, { a, b } })[1][1], g))
  end)

  it("nn.ZipTableOneToMany's, but for the sum", function()
    local m, g = nn.ZipTableOneToMany(), torch.ones(3)
    local input = { a, { b, b } }
    local output = m:forward(input)
    assert.is_true(rawequal(output[2][1], a) and rawequal(output[2][2], b))
    local gradInput = m:backward(input, { { torch.ones(2), g }, { torch.ones(2), g } })
    assertClose({ 2, 2 }, gradInput[1])
    assert.is_true(rawequal(gradInput[1], m.gradInputEl) and rawequal(gradInput[2][1], g))
  end)

  it("nn.SelectTable's and nn.Identity's", function()
    assert.is_true(rawequal(a, nn.SelectTable(-1):forward { b, a }))
    assert.is_true(rawequal(a, nn.Identity():forward(a)))
  end)
end)

describe('What a container is given stays as it was', function()
  it('where its children hand it through', function()
    local input = pair()
    local net = nn.Sequential():add(nn.ConcatTable():add(nn.Identity()):add(nn.Identity())):add(nn.NarrowTable(1, 1))
    net:add(nn.FlattenTable()):add(nn.NarrowTable(2, 1))
    local kept = { input[1], input[2] }
    for _ = 1, 2 do
      local output = net:forward(input)
      assert.is_true(rawequal(output[1], input[2]))
      net:backward(input, { x(3, 2) })
    end
    net:forward(pair())
    assert.is_true(rawequal(kept[1], input[1]) and rawequal(kept[2], input[2]))
    assert.equal(2, #input)
  end)
end)
