-- Summaries of modules. Truth: PyTorch's counts of parameters and operations; sizes and sums by hand.
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local figures = require 'spec.nn.summary_figures'

local function cell(gates)
  return nn.TableModule { { 'input', nn.Linear(3, gates * 4) }, { 'hidden', nn.Linear(4, gates * 4) }, forward = function(self, x)
    local h = x.new(x:size(2), 4):zero()
    for t = 1, x:size(1) do h = torch.tanh(torch.add(self.input(x:select(1, t)), self.hidden(h)):narrow(2, 1, 4)) end
    return h
  end }
end

local nets = {
  mlp = function() return nn.Sequential(nn.Linear(3, 40), nn.Tanh(), nn.Linear(40, 2, false)) end,
  pictures = function()
    return nn.Sequential(nn.Conv2d(4, 6, { 3, 2 }, { stride = 2, padding = 1, groups = 2 }), nn.SpatialBatchNormalization(6), nn.ReLU(),
      nn.SpatialMaxPooling(2, 2, 2, 2), nn.SpatialConvolution(6, 3, 1, 1))
  end,
  up = function() return nn.Sequential(nn.SpatialFullConvolution(2, 3, 3, 3, 2, 2), nn.Sigmoid()) end,
  volumes = function() return nn.Sequential(nn.VolumetricConvolution(2, 3, 2, 1, 3)) end,
  attention = function() return nn.MultiheadAttention(8, 2) end,
  lstm = function() return cell(4) end,
  gru = function() return cell(3) end,
}

describe('A summary', function()
  for _, figure in ipairs(figures) do
    it("has PyTorch's counts: " .. figure.name, function()
      local net = nets[figure.name]()
      local summary = net:summary(unpack(figure.input))
      assert.equal(figure.multiplyAdds, summary.multiplyAdds)
      assert.equal(figure.parameters, summary.parameters)
      assert.equal(figure.parameters, (net:numParameters()))
      if torch.type(net) == 'nn.Sequential' then
        for i, count in ipairs(figure.layers) do assert.equal(count, summary.layers[i + 1].parameters) end
      end
      assert.equal(figure.multiplyAdds, net:float():summary(torch.FloatTensor(unpack(figure.input))).multiplyAdds)
    end)
  end

  it('counts products of all shapes', function()
    local function counted(size, f)
      return nn.TableModule { forward = function(_, x) return f(x) end }:summary(unpack(size)).multiplyAdds
    end
    local m = torch.ones(5, 4)
    assert.equal(5 * 6 * 4, counted({ 4, 6 }, function(x) return m * x end))
    assert.equal(5 * 4, counted({ 4 }, function(x) return m * x end))
    assert.equal(4, counted({ 4 }, function(x) return torch.Tensor { torch.dot(x, x) } end))
    assert.equal(2 * 3 * 5 * 4, counted({ 2, 3, 4 }, function(x) return torch.bmm(x, torch.ones(2, 4, 5)) end))
    assert.equal(3 * 7, counted({ 3 }, function(x) return torch.ger(x, torch.ones(7)) end))
    assert.equal(2 * 3 * 5 * 4, counted({ 2, 3, 4 }, function(x) return torch.addbmm(torch.ones(3, 5), x, torch.ones(2, 4, 5)) end))
    assert.equal(5 * 6 * 4, counted({ 4, 6 }, function(x) return torch.addmm(torch.ones(5, 6), m, x) end))
    assert.equal(0, counted({ 4, 6 }, function(x) return torch.exp(x) + x end))
  end)

  it("counts an LSTM's and a GRU's products: of the input once, of the state in each step", function()
    local steps, batch, input, hidden = 5, 2, 3, 4
    for gates, module in pairs { [4] = nn.LSTM(input, hidden), [3] = nn.GRU(input, hidden) } do
      assert.equal(steps * batch * gates * hidden * (input + hidden), module:summary(steps, batch, input).multiplyAdds)
    end
  end)

  it('has a line per call, with sizes, own parameters and memory', function()
    local layer = nn.Linear(2, 2):float()
    local net = nn.Sequential():add(layer):add(nn.ConcatTable():add(nn.Sequential():add(layer):add(nn.Tanh())):add(nn.Identity())):float()
    net:freeze '0.bias'
    local summary = net:summary(torch.FloatTensor(3, 2))
    local lines = {}
    for i, each in ipairs(summary.layers) do
      lines[i] = { each.name, each.type, each.depth, each.output, each.parameters, each.multiplyAdds, each.isRepeated }
    end
    assert.same({
      { '', 'nn.Sequential', 0, '3 x 2, 3 x 2', 0, 0, false },
      { '0', 'nn.Linear', 1, '3 x 2', 6, 12, false },
      { '1', 'nn.ConcatTable', 1, '3 x 2, 3 x 2', 0, 0, false },
      { '1.0', 'nn.Sequential', 2, '3 x 2', 0, 0, false },
      { '0', 'nn.Linear', 3, '3 x 2', 0, 12, true },
      { '1.0.1', 'nn.Tanh', 3, '3 x 2', 0, 0, false },
      { '1.1', 'nn.Identity', 2, '3 x 2', 0, 0, false },
    }, lines)
    assert.same({ 6, 4, 24, 24, 4 * 24, 24 }, { summary.parameters, summary.trainable, summary.multiplyAdds, summary.inputBytes,
      summary.outputBytes, summary.parameterBytes })
    assert.equal([[
layer                       output        parameters  multiply-adds
nn.Sequential               3 x 2, 3 x 2           -              -
  0: nn.Linear              3 x 2                  6             12
  1: nn.ConcatTable         3 x 2, 3 x 2           -              -
    0: nn.Sequential        3 x 2                  -              -
      0: nn.Linear (again)  3 x 2                  -             12
      1: nn.Tanh            3 x 2                  -              -
    1: nn.Identity          3 x 2                  -              -
6 parameters (4 trainable), 24 multiply-adds
input 24 bytes, outputs 96 bytes, parameters 24 bytes]], tostring(summary))
  end)

  it('changes nothing', function()
    torch.manualSeed(5)
    local net = nn.Sequential():add(nn.Linear(3, 3)):add(nn.BatchNormalization(3)):add(nn.Dropout()):add(nn.WhiteNoise())
    net:forward(torch.randn(4, 3))
    local before, output = net:clone(), net.output:clone()
    local random = torch.getRNGState()
    net:summary(7, 3)
    nn.TableModule { forward = function(_, x) return x + torch.randn(x:size()) end }:summary(3)
    assert.is_true(torch.equal(random, torch.getRNGState()))
    assert.is_true(torch.equal(output, net.output))
    assert.is_true(torch.equal(before:get(2).running_mean, net:get(2).running_mean))
    assert.is_true(net:get(3).train)
    for _, module in ipairs(net:listModules()) do assert.is_nil(rawget(module, '_hooks')) end
    assert.is_false((pcall(net.summary, net, 7, 4)))
    assert.is_nil(rawget(net:get(1), '_hooks'))
    assert.error_matches(function() net:summary 'x' end, "summary: sizes: 'x', expected sizes or tensors")
    assert.error_matches(function() torch.graph.capture(function(x) net:summary(2, 3); return x end, { torch.ones(1) }) end,
      'nn.Sequential: summary: a capture, expected a call outside of one')
  end)

  it('lists parameters alone without an input, and accepts several inputs', function()
    local net = nn.TableModule { { 'a', nn.Linear(2, 3) }, { 'b', nn.Sequential(nn.Linear(3, 1)) },
      forward = function(self, x, y) return self.b(self.a(x) + y), x end }
    local names = {}
    for i, layer in ipairs(net:summary().layers) do names[i] = { layer.name, layer.depth, layer.parameters, layer.output } end
    assert.same({ { '', 0, 0 }, { 'a', 1, 9 }, { 'b', 1, 0 }, { 'b.0', 2, 4 } }, names)
    local summary = net:summary({ 4, 2 }, torch.ones(4, 3))
    assert.equal('4 x 1, 4 x 2', summary.layers[1].output)
    assert.equal(4 * 6 + 4 * 3, summary.multiplyAdds)
    assert.equal((8 + 12) * 8, summary.inputBytes)
  end)
end)
