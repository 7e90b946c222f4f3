-- LSTM by the op that runs all steps of a layer, against the layer of single steps and the one composed of differentiable ops.
local torch, nn = require 'torch', require 'nn'
local autograd = require 'autograd'
local close = require 'spec.support.close'

local function sum(...)
  local total
  for _, x in ipairs { ... } do
    local part = torch.cmul(x, torch.sin(x)):sum()
    total = total and torch.add(total, part) or part
  end
  return total
end

-- Sizes for which the op runs: steps, rows, size of the state. Blocks of units are of 8 to 32.
local sizes = { { 16, 2, 1 }, { 5, 9, 7 }, { 11, 3, 17 }, { 4, 8, 33 }, { 32, 1, 40 }, { 6, 29, 64 } }

describe('A layer of LSTM', function()
  it('has the results of single steps, which a graph has', function()
    for _, case in ipairs(sizes) do
      local steps, rows, size = unpack(case)
      local net, x = nn.LSTM(3, size, { bidirectional = true }), torch.randn(steps, rows, 3)
      local graph = torch.graph.capture(function(input) return net(input) end, { x })
      assert.is_nil(tostring(graph):match 'lstm_layer%(')
      close.assertClose(graph:run(x), torch.noGrad(net, x), 1e-14)
    end
  end)

  it('has the gradients of the layer composed of single ops, by everything', function()
    for _, case in ipairs(sizes) do
      local steps, rows, size = unpack(case)
      local net = nn.LSTM(3, size, { bidirectional = true }):requiresGrad()
      local leaves = { torch.randn(steps, rows, 3), torch.randn(2, rows, size), torch.randn(2, rows, size) }
      for i, leaf in ipairs(leaves) do leaves[i] = leaf:requiresGrad() end
      for _, parameter in ipairs((net:parameters())) do leaves[#leaves + 1] = parameter end
      for _, used in ipairs { { 1 }, { 2 }, { 3 }, { 1, 2, 3 } } do
        local function gradients(createGraph)
          local results, roots = net { leaves[1], leaves[2], leaves[3] }, {}
          for k, i in ipairs(used) do roots[k] = results[i] end
          return autograd.grad({ sum(unpack(roots)) }, leaves, { createGraph = createGraph, allowUnused = true })
        end
        local expected, actual = gradients(true), gradients(false)
        for i in ipairs(leaves) do close.assertClose(expected[i]:detach(), actual[i], 1e-12) end
      end
    end
  end)

  it('has the same bits for any number of threads, which share rows or units', function()
    local threads = torch.getnumthreads()
    for _, case in ipairs { { 6, 40, 64 }, { 3, 12, 160 }, { 32, 1, 300 } } do
      local steps, rows, size = unpack(case)
      local x, h, c = torch.randn(steps, rows, 4 * size):float(), torch.randn(rows, size):float(), torch.randn(rows, size):float()
      local weight, gy = (torch.randn(4 * size, size) / size):float(), torch.randn(steps, rows, size):float()
      local found = {}
      for count = 1, 4 do
        torch.setnumthreads(count)
        local y, cells, gates = torch.lstm_layer(x, h, c, weight, true)
        found[count] = { y, cells, gates, torch.lstm_layer_grad(gy, nil, c, gates, c, cells, weight, true) }
      end
      torch.setnumthreads(threads)
      for count = 2, 4 do
        for i, result in ipairs(found[1]) do assert.is_true(torch.equal(result, found[count][i])) end
      end
    end
  end)

  it('keeps the last step alone, if it is told so', function()
    local x, h, c, weight = torch.randn(5, 2, 12), torch.randn(2, 3), torch.randn(2, 3), torch.randn(12, 3)
    for _, reverse in ipairs { false, true } do
      local y, cells, gates = torch.lstm_layer(x, h, c, weight, reverse)
      local sameY, lastC, lastGates = torch.lstm_layer(x, h, c, weight, reverse, false)
      local last = reverse and 1 or 5
      assert.is_true(torch.equal(y, sameY))
      assert.is_true(torch.equal(cells:narrow(1, last, 1), lastC))
      assert.is_true(torch.equal(gates:narrow(1, last, 1), lastGates))
    end
  end)

  it('raises errors for sizes, and has no derivative of its own', function()
    local x, h, weight = torch.randn(5, 2, 12), torch.randn(2, 3), torch.randn(12, 3)
    local function refuses(message, f, ...)
      local arguments, count = { ... }, select('#', ...)
      assert.error_matches(function() f(unpack(arguments, 1, count)) end, message)
    end
    refuses('lstm_layer: x: %[5, 12%], expected %(steps, batch, 4 size%)', torch.lstm_layer, x:select(2, 1), h, h, weight)
    refuses('lstm_layer: x: %[0, 2, 12%], expected .* at least one step', torch.lstm_layer, torch.zeros(0, 2, 12), h, h, weight)
    refuses('lstm_layer: x: %[5, 2, 10%], expected %(steps, batch, 4 size%)', torch.lstm_layer, x:narrow(3, 1, 10), h, h, weight)
    refuses('lstm_layer: h0: %[2, 2%], expected %[2, 3%]', torch.lstm_layer, x, h:narrow(2, 1, 2), h, weight)
    refuses('lstm_layer: c0: %[1, 3%], expected %[2, 3%]', torch.lstm_layer, x, h, h:narrow(1, 1, 1), weight)
    refuses('lstm_layer: weight: %[3, 12%], expected %[12, 3%]', torch.lstm_layer, x, h, h, weight:t())
    local y, c, gates = torch.lstm_layer(x, h, h, weight)
    local grad = torch.lstm_layer_grad
    refuses('lstm_layer_grad: gates: %[2, 12%], expected %(steps, batch, 4 size%)', grad, y, h, h, gates[1], h, c, weight)
    refuses('lstm_layer_grad: gy: %[2, 3%], expected %[5, 2, 3%]', grad, y[1], h, h, gates, h, c, weight)
    refuses('lstm_layer_grad: gh: %[1, 3%], expected %[2, 3%]', grad, y, h:narrow(1, 1, 1), h, gates, h, c, weight)
    refuses('lstm_layer_grad: gc: %[1, 3%], expected %[2, 3%]', grad, y, h, h:narrow(1, 1, 1), gates, h, c, weight)
    refuses('lstm_layer_grad: c0: %[1, 3%], expected %[2, 3%]', grad, y, h, h, gates, h:narrow(1, 1, 1), c, weight)
    refuses('lstm_layer_grad: c: %[4, 2, 3%], expected %[5, 2, 3%]', grad, y, h, h, gates, h, c:narrow(1, 1, 4), weight)
    refuses('lstm_layer_grad: weight: %[3, 12%], expected %[12, 3%]', grad, y, h, h, gates, h, c, weight:t())
    local tracked = torch.lstm_layer(x:clone():requiresGrad(), h, h, weight):sum()
    refuses('lstm_layer: backward: the class LSTM has derivatives', tracked.backward, tracked)
  end)
end)
