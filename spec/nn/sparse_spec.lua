-- Gradients by sparse inputs: dense, a row for every position, in the structures that programs read.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

-- { 1, g1 }, { 2, g2 }, ... from the gradients.
local function numbered(gradients)
  local rows = torch.DoubleTensor(gradients:nElement(), 2)
  for i = 1, rows:size(1) do rows[i][1], rows[i][2] = i, gradients[i] end
  return rows
end

local function allOf(n) return torch.range(1, n):long() end

describe('nn.SparseLinear', function()
  local first, second = torch.Tensor { { 1, 2 }, { 4, -1 } }, torch.Tensor { { 3, 5 } }
  local g = torch.Tensor { { 1, -2 }, { 3, 0.5 } }

  local function made(...)
    local m = nn.SparseLinear(4, 2, ...)
    m.weight:copy(layers.series(m.weight:size(), 1.3))
    return m, g * m.weight
  end

  it('has a table of a tensor for each sample', function()
    local m, dense = made(true)
    for _, gradOutput in ipairs { g[1], g:narrow(1, 1, 1) } do
      m:forward(first)
      local gradInput = m:backward(first, gradOutput)
      assert.equal(1, #gradInput)
      assertClose(numbered(dense[1]), gradInput[1], 1e-15)
    end
    local batch = { first, second }
    m:forward(batch)
    local gradInput = m:backward(batch, g)
    assert.equal(2, #gradInput)
    assertClose(numbered(dense[2]), gradInput[2], 1e-15)
  end)

  it('has a tensor for a legacy batch, which is one', function()
    local m, dense = made(true)
    local batch = torch.Tensor { { { 1, 2 }, { 4, -1 } }, { { 3, 5 }, { 0, 0 } } }
    m:forward(batch)
    local gradInput = m:backward(batch, g)
    assertClose(numbered(dense[1]), gradInput[1], 1e-15)
    assertClose(numbered(dense[2]), gradInput[2], 1e-15)
  end)

  it('takes matrices of torch.sparse, in all forms', function()
    local x = torch.DoubleTensor { { 2, 0, 0, -1 }, { 0, 0, 5, 0 }, { 0, 0, 0, 0 }, { 0, 3, 0, 0 } }
    local gradOutput = layers.series(torch.LongStorage { 4, 2 }, 0.7)
    local linear, m = nn.Linear(4, 2), made(true)
    linear.weight:copy(m.weight)
    linear.bias:copy(m.bias)
    for _, format in ipairs { 'coo', 'csr', 'csc', 'bsr', 'dia' } do
      local s = x:sparse(format, 2)
      assertClose(linear:forward(x), m:forward(s), 1e-15)
      m:zeroGradParameters()
      linear:zeroGradParameters()
      local gradInput, expected = m:backward(s, gradOutput), linear:backward(x, gradOutput)
      for i = 1, 4 do assertClose(numbered(expected[i]), gradInput[i], 1e-15) end
      assertClose(linear.gradWeight, m.gradWeight, 1e-14)
      assertClose(linear.gradBias, m.gradBias, 1e-14)
      m:updateParameters(0.1)
      linear:updateParameters(0.1)
      assertClose(linear.weight, m.weight, 1e-14)
    end
    local tracked = m:forward(x:sparse())
    assertClose(tracked, m(x:sparse 'csr'):detach(), 1e-15)
    assert.error_matches(function() m:forward(torch.eye(3):sparse()) end, 'input: a sparse tensor of sizes 3 x 3, expected a matrix with 4')
  end)

  it('has an empty table where none is wanted', function()
    local m = made()
    for _, input in ipairs { first, { first } } do
      m:forward(input)
      assert.same({}, m:backward(input, g:narrow(1, 1, 1)))
      assert.same({}, m.gradInput)
    end
  end)
end)

describe('nn.Linear of matrices of torch.sparse', function()
  local autograd = require 'autograd'
  local formats = { 'coo', 'csr', 'csc', 'bsr', 'dia' }
  local x = torch.DoubleTensor { { 2, 0, 0, -1 }, { 0, 0, 5, 0 }, { 0, 0, 0, 0 }, { 0, 3, 0, 0 } }
  local g = layers.series(torch.LongStorage { 4, 2 }, 0.7)

  for _, bias in ipairs { true, false } do
    for _, kind in ipairs { 'Double', 'Float' } do
      it(("has Torch7's protocol, as of dense ones; %s, bias %s"):format(kind, tostring(bias)), function()
        local name = 'torch.' .. kind .. 'Tensor'
        local tolerance = kind == 'Double' and 1e-14 or 1e-5
        for _, format in ipairs(formats) do
          local dense, m = nn.Linear(4, 2, bias):type(name), nn.Linear(4, 2, bias):type(name)
          m:getParameters():copy(dense:getParameters())
          local wide, s, gradOutput = x:type(name), x:type(name):sparse(format, 2), g:type(name)
          for _ = 1, 2 do
            assertClose(dense:forward(wide), m:forward(s), tolerance)
            assert.equal(name, m.output:type())
            assertClose(dense:updateGradInput(wide, gradOutput), m:updateGradInput(s, gradOutput), tolerance)
            dense:accGradParameters(wide, gradOutput, 0.5)
            m:accGradParameters(s, gradOutput, 0.5)
            assertClose(dense:backward(wide, gradOutput), m:backward(s, gradOutput), tolerance)
            assert.equal(name, m.gradInput:type())
            assertClose(select(2, dense:getParameters()), select(2, m:getParameters()), tolerance)
          end
          m.gradInput = nil
          assert.is_nil(m:backward(s, gradOutput))
          -- A dense input is as before.
          m.gradInput = s:values().new()
          assertClose(dense:forward(wide), m:forward(wide), tolerance)
          assertClose(dense:backward(wide, gradOutput), m:backward(wide, gradOutput), tolerance)
        end
      end)
    end
  end

  it('is on the tape, with gradients of parameters and of values', function()
    local m = nn.Linear(4, 2):double()
    for _, format in ipairs(formats) do
      local s = x:sparse(format, 2)
      m:zeroGradParameters()
      m:forward(x)
      m:backward(x, g)
      local expected = { m.gradWeight:clone(), m.gradBias:clone(), m.gradInput:clone() }
      local function loss(values, weight, bias)
        m.weight, m.bias = weight, bias
        return torch.sum(torch.cmul(m(s:_with(values)), g))
      end
      local leaves = { s:values():clone(), m.weight:clone(), m.bias:clone() }
      assert(autograd.gradcheck(loss, leaves))
      for i = 1, 3 do leaves[i]:requiresGrad() end
      loss(unpack(leaves)):backward()
      assertClose(expected[1], leaves[2].grad, 1e-14)
      assertClose(expected[2], leaves[3].grad, 1e-14)
      assertClose(torch.cmul(expected[3], x:ne(0):double()), torch.cmul(s:_with(leaves[1].grad):dense(), x:ne(0):double()), 1e-14)
      m.weight, m.bias = leaves[2]:detach(), leaves[3]:detach()
    end
  end)

  it('is the first layer of a network', function()
    local network = nn.Sequential():add(nn.Linear(4, 3)):add(nn.Tanh()):add(nn.Linear(3, 2)):double()
    local s = x:sparse 'csr'
    assertClose(network:forward(x), network:forward(s), 1e-14)
    network:zeroGradParameters()
    local expected = network:backward(x, g):clone()
    local _, gradients = network:getParameters()
    local dense = gradients:clone()
    network:zeroGradParameters()
    network:forward(s)
    assertClose(expected, network:backward(s, g), 1e-14)
    assertClose(dense, gradients, 1e-14)
  end)

  it('sees values that change after a forward', function()
    local m, s = nn.Linear(4, 2):double(), x:sparse 'csr'
    m:forward(s)
    s:values():mul(3)
    m:zeroGradParameters()
    m:backward(s, g)
    assertClose(g:t() * (x * 3), m.gradWeight, 1e-14)
  end)

  it('names what does not fit', function()
    local m = nn.Linear(4, 2)
    assert.error_matches(function() m:forward(torch.eye(3):sparse()) end, 'nn.Linear: linear: input: 3 columns, expected 4')
    assert.error_matches(function() m:forward(torch.ones(4):sparse()) end, 'nn.Linear: linear: input: 1 dimensions, expected a matrix')
    local s = torch.eye(4):sparse 'csr'
    m:forward(s)
    for _, method in ipairs { 'updateGradInput', 'accGradParameters', 'backward' } do
      assert.error_matches(function() m[method](m, s, torch.ones(3, 2)) end, 'nn.Linear: gradOutput: .*expected a tensor of sizes')
    end
    assert.error_matches(function() torch.linear(torch.ones(2, 2), torch.eye(2):sparse()) end, 'linear: a sparse weight, expected a dense')
  end)
end)

describe('nn.IndexLinear', function()
  local keys, values = torch.LongTensor { 1, 4, 3 }, torch.Tensor { 2, -1, 5 }
  local g = torch.Tensor { { 1, -2 }, { 3, 0.5 } }

  local function made(...)
    local m = nn.IndexLinear(4, 2, ...)
    m.weight:copy(layers.series(m.weight:size(), 1.3))
    m.bias:copy(torch.Tensor { 0.25, -0.5 })
    return m, g * m.weight:t()
  end

  it('takes a number as the size of a batch of one', function()
    local m, dense = made(true)
    local input = { keys, values, 3 }
    local expected = m.weight[1] * 2 - m.weight[4] + m.weight[3] * 5 + m.bias
    assertClose(expected:view(1, 2), m:forward(input), 1e-15)
    for _, gradOutput in ipairs { g[1], g:narrow(1, 1, 1) } do
      m:zeroGradParameters()
      local gradInput = m:backward(input, gradOutput)
      assertClose(allOf(4):view(1, 4), gradInput[1])
      assertClose(dense:narrow(1, 1, 1), gradInput[2], 1e-15)
      assertClose(g[1], m.gradBias, 1e-15)
    end
  end)

  it('has gradients by all positions, in the structure of the input', function()
    local m, dense = made(true)
    local single = { keys, values }
    m:forward(single)
    local gradInput = m:backward(single, g[1])
    assertClose(allOf(4), gradInput[1])
    assertClose(dense[1], gradInput[2], 1e-15)

    local flat = { keys, values, torch.LongTensor { 2, 1 } }
    m:forward(flat)
    gradInput = m:backward(flat, g)
    assert.equal(2, #gradInput)
    assertClose({ { 1, 2, 3, 4 }, { 1, 2, 3, 4 } }, gradInput[1])
    assertClose(dense, gradInput[2], 1e-15)

    local batch = { { keys:narrow(1, 1, 2), keys:narrow(1, 3, 1) }, { values:narrow(1, 1, 2), values:narrow(1, 3, 1) } }
    m:forward(batch)
    gradInput = m:backward(batch, g)
    for i = 1, 2 do
      assertClose(allOf(4), gradInput[1][i])
      assertClose(dense[i], gradInput[2][i], 1e-15)
    end
  end)

  it('has an empty table where none is wanted', function()
    local m = made()
    for _, input in ipairs { { keys, values, torch.LongTensor { 2, 1 } }, { { keys, keys }, { values, values } } } do
      m:forward(input)
      assert.same({}, m:backward(input, g))
    end
  end)
end)
