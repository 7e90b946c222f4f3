-- Recurrent layers over sequences of different lengths: PyTorch's results for packed sequences, in Torch7's protocol and on the tape.
local torch, nn = require 'torch', require 'nn'
local autograd = require 'autograd'
local layers = require 'spec.support.layers'
local close = require 'spec.support.close'
local assertClose, relative = close.assertClose, close.relative

local series = layers.series
local lengths = { 2, 5, 1, 4 }

local function sized(...) return torch.LongStorage { ... } end
local function project(x) return torch.sum(torch.cmul(x, series(x:size(), 1.3))) end

local function make(text)
  local net = assert(loadstring('local nn = ...; return nn.' .. text))(nn):double()
  for i, parameter in ipairs((net:parameters())) do parameter:copy(series(parameter:size(), 1.7 + 0.3 * i)) end
  return net
end

local function inputOf(net)
  local input, rows = { series(sized(6, 4, 3), 2.3) }, net.layers * net.directions
  for k = 1, torch.type(net) == 'nn.LSTM' and 2 or 1 do input[k + 1] = series(sized(rows, 4, 2), k - 0.1) end
  return input
end

-- The gradient of the loss by each output: that of the states counts twice, three times.
local function gradientsOf(output)
  local list = {}
  for k, y in ipairs(output) do list[k] = torch.mul(series(y:size(), 1.3), k) end
  return list
end

describe('with lengths, as packed sequences of PyTorch,', function()
  for _, case in ipairs(require 'spec.nn.lengths_figures') do
    local text, expected = unpack(case)
    it('nn.' .. text .. ' by forward and backward', function()
      local net = make(text)
      local input = inputOf(net)
      input.lengths = torch.LongTensor(lengths)
      local output, found = net:forward(input), {}
      for k, y in ipairs(output) do found[k] = project(y) end
      net:zeroGradParameters()
      local gradInput = net:backward(input, gradientsOf(output))
      for _, g in ipairs(gradInput) do found[#found + 1] = project(g) end
      for _, g in ipairs((select(2, net:parameters()))) do found[#found + 1] = project(g) end
      assertClose(expected, found, relative(1e-10))
    end)
    it('nn.' .. text .. ' on the tape', function()
      local net = make(text):requiresGrad()
      local input = inputOf(net)
      for _, x in ipairs(input) do x:requiresGrad() end
      local leaves = { unpack(input) }
      input.lengths = lengths
      local output, found, loss = net(input), {}, nil
      for k, y in ipairs(output) do
        found[k] = project(y:detach())
        local part = torch.sum(torch.cmul(y, torch.mul(series(y:size(), 1.3), k)))
        loss = loss and loss + part or part
      end
      for _, parameter in ipairs((net:parameters())) do leaves[#leaves + 1] = parameter end
      for _, g in ipairs(autograd.grad(loss, leaves)) do found[#found + 1] = project(g) end
      assertClose(expected, found, relative(1e-10))
    end)
  end
end)

describe('a recurrent layer with lengths', function()
  local both = { bidirectional = true, layers = 2 }

  it('gives each sequence what it gives it alone, and 0 beyond', function()
    for _, name in ipairs { 'LSTM', 'GRU', 'RNN' } do
      local net = make(name .. '(3, 2, { bidirectional = true, layers = 2 })')
      local x = series(sized(6, 4, 3), 2.3)
      local y = net:forward { x, lengths = lengths }[1]:clone()
      for i, length in ipairs(lengths) do
        assertClose(net:forward(x:narrow(1, 1, length):narrow(2, i, 1)):clone(), y:narrow(1, 1, length):narrow(2, i, 1), 1e-14)
        assert.equal(0, torch.max(torch.abs(y:narrow(1, length + 1, 6 - length):select(2, i))))
      end
      assert.same({ 6, 4, 4 }, y:size():totable())                   -- as long as the input, though all sequences are shorter
    end
  end)
  it('does not read what lies beyond, whose gradient is 0', function()
    local net = make 'LSTM(3, 2)'
    local x = series(sized(3, 2, 3), 2.3)
    local expected = net:forward { x, lengths = { 1, 3 } }[1]:clone()
    x[{ { 2, 3 }, 1 }] = 0 / 0
    local output = net:forward { x, lengths = { 1, 3 } }
    assertClose(expected, output[1], 0)
    local g = net:backward({ x, lengths = { 1, 3 } }, gradientsOf(output))[1]
    assert.equal(0, torch.max(torch.abs(g[{ { 2, 3 }, 1 }])))
    assert.is_true(torch.all(torch.isfinite(g)))
  end)
  it('ends in the states that it began with where the length is 0', function()
    local net = make 'LSTM(3, 2, { bidirectional = true })'
    local x, h, c = series(sized(4, 3, 3), 2.3), series(sized(2, 3, 2), 1), series(sized(2, 3, 2), 2)
    local y, lastH, lastC = unpack(net:forward { x, h, c, lengths = { 0, 4, 0 } })
    assertClose(net:forward { x:narrow(2, 2, 1), h:narrow(2, 2, 1), c:narrow(2, 2, 1) }[1]:clone(), y:narrow(2, 2, 1), 1e-14)
    for _, i in ipairs { 1, 3 } do
      assert.equal(0, torch.max(torch.abs(y:select(2, i))))
      assertClose(h:select(2, i):clone(), lastH:select(2, i), 0)
      assertClose(c:select(2, i):clone(), lastC:select(2, i), 0)
    end
    local output = net:forward { x, h, c, lengths = { 0, 0, 0 } }
    assert.equal(0, torch.max(torch.abs(output[1])))
    assertClose(h, output[2], 0)
    assertClose(gradientsOf(output)[2], net:backward({ x, h, c, lengths = { 0, 0, 0 } }, gradientsOf(output))[2], 0)
  end)
  it('takes a mask, and batches that come first', function()
    local net, first = nn.GRU(3, 2, both):double(), nn.GRU(3, 2, { bidirectional = true, layers = 2, batchFirst = true }):double()
    for i, parameter in ipairs((first:parameters())) do parameter:copy(net:parameters()[i]) end
    local x, mask = series(sized(6, 4, 3), 2.3), torch.ByteTensor(6, 4):zero()
    for i, length in ipairs(lengths) do mask:narrow(1, 1, length):select(2, i):fill(1) end
    local expected = net:forward { x, lengths = lengths }[1]:clone()
    assertClose(expected, net:forward { x, mask = mask }[1], 0)
    assertClose(expected, first:forward({ x:transpose(1, 2), mask = mask:t() })[1]:transpose(1, 2), 1e-15)
    assertClose(expected, first:forward({ x:transpose(1, 2), lengths = torch.Tensor(lengths) })[1]:transpose(1, 2), 1e-15)
  end)
  it('has second derivatives', function()
    local net, x = make 'GRU(2, 2, { bidirectional = true })', series(sized(3, 2, 2), 2.3)
    assert(autograd.gradcheck(function(z) return net({ z, lengths = { 3, 1 } })[1] end, { x }))
  end)
  it('says what lengths it takes', function()
    local net, x = nn.LSTM(3, 2), torch.randn(5, 2, 3)
    local function refuses(message, input)
      input[1] = x
      assert.error_matches(function() net:forward(input) end, message)
    end
    refuses('nn.LSTM: lengths: 3 numbers, expected 2, one for each sequence', { lengths = { 1, 2, 3 } })
    refuses('nn.LSTM: lengths%[2%]: 6, expected a whole number from 0 to 5', { lengths = { 1, 6 } })
    refuses('nn.LSTM: lengths%[1%]: 1.5, expected a whole number from 0 to 5', { lengths = torch.Tensor { 1.5, 2 } })
    refuses('nn.LSTM: lengths%[1%]: %-1, expected', { lengths = torch.IntTensor { -1, 2 } })
    refuses('nn.LSTM: lengths: .*abc.*, expected a tensor or a list of numbers', { lengths = 'abc' })
    refuses('nn.LSTM: mask: %[4, 2%], expected a mask of sizes %(5, 2%)', { mask = torch.ones(4, 2):byte() })
    refuses('nn.LSTM: mask: a gap in sequence 1, expected positions in use from the first on',
      { mask = torch.ByteTensor { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 }, { 0, 0 } } })
    refuses('nn.LSTM: mask: given with lengths, expected one of both', { lengths = { 1, 2 }, mask = torch.ones(5, 2):byte() })
  end)
end)
