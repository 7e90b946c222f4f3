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
