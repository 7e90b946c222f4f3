-- Graphs of modules in evaluation mode.
local torch, nn = require 'torch', require 'nn'
local nested, samples = require 'nn.nested', require 'spec.support.nn_samples'
local inEvaluation = require('nn.support.sample_input').inEvaluation

local function captured(sample)
  local module, input = samples.moduleOf(sample), samples.inputOf(sample)
  return inEvaluation(module, function()
    return torch.noGrad(function()
      return (torch.graph.capture(function(...)
        module:clearState()
        return unpack(nested.flatten(module:forward(nested.rebuild(input, { ... })), {}))
      end, nested.flatten(input, {})))
    end)
  end)
end

describe('the graph of a module in evaluation mode', function()
  it('writes to no constant, so that any number of threads can run it', function()
    local writing, count = {}, 0
    for _, class in ipairs(samples.classes()) do
      for _, sample in ipairs(samples.isCriterion(class) and {} or samples.of(class)) do
        local isCaptured, graph = pcall(captured, sample)
        if isCaptured then
          count = count + 1
          if graph:info().updates > 0 then writing[#writing + 1] = samples.nameOf(sample) end
        end
      end
    end
    assert.same({}, writing)
    assert.is_true(count >= 300, count)
  end)

  it('of zero padding and of Reshape is one for any number of examples', function()
    local x = torch.randn(2, 1, 5, 4)
    for _, padding in ipairs { nn.SpatialZeroPadding(1, 2, -1, 1), nn.Padding(3, -2, 4, 0.5), nn.ZeroPad2d { 0, 2, 1, 0 } } do
      local net = nn.Sequential():add(padding):add(nn.Reshape(padding:forward(x):nElement() / 2))
      net:evaluate()
      local graph = torch.graph.capture(function(input)
        net:clearState()
        return net:forward(input)
      end, { x }, { dynamic = { 1 } })
      for _, n in ipairs { 1, 3 } do
        local y = torch.randn(n, 1, 5, 4)
        assert.is_true(torch.equal(net:forward(y), graph:run(y)))
      end
    end
  end)
end)
