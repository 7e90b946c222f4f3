-- Networks without a small form, in training mode: gradients reach all parameters, auxiliary classifiers run, blocks are left out.
local torch = require 'torch'
local zoo, features = require 'zoo', require 'zoo.features'

describe('in training', function()
  for _, case in ipairs {
    { 'alexnet', { 2, 3, 64, 64 }, 1 }, { 'convnext_tiny', { 2, 3, 32, 32 }, 1 }, { 'googlenet', { 2, 3, 64, 64 }, 3 },
    { 'inception_v3', { 2, 3, 299, 299 }, 2 },
  } do
    it(('%s has gradients of all parameters'):format(case[1]), function()
      local net = zoo.make(case[1], { numClasses = 2 }):float():requiresGrad()
      local outputs, loss = { net(torch.randn(unpack(case[2])):float()) }, nil
      assert.equal(case[3], #outputs)
      for _, output in ipairs(outputs) do
        assert.same({ 2, 2 }, output:size():totable())
        loss = loss and loss + torch.sum(output) or torch.sum(output)
      end
      loss:backward()
      for name, parameter in net:namedParameters() do assert.truthy(parameter.grad, name) end
    end)
  end

  it('stochastic depth keeps the mean', function()
    local x = torch.ones(2000, 1, 1, 1)
    local y = features.stochasticDepth(x, 0.25)
    assert.is_true(math.abs(y:mean() - 1) < 0.1)
    assert.is_true(math.abs(torch.eq(y, 0):double():mean() - 0.25) < 0.06)
    assert.equal(x, features.stochasticDepth(x, 0))
  end)
end)
