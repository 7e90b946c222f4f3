-- Networks against torchvision's: names and sizes of states, and outputs, with parameters of a formula.
local torch = require 'torch'
local zoo = require 'zoo'
local figures, formula = require 'spec.zoo.figures', require 'spec.zoo.formula'
local assertClose, relative = require('spec.support.close').assertClose, require('spec.support.close').relative

describe('the network', function()
  for _, figure in ipairs(figures) do
    it(("%s gives torchvision's output"):format(figure.name), function()
      local plan = torch.withDevice('meta', function() return zoo.make(figure.name, figure.options) end)
      local state = plan:stateDict()
      assert.equal(figure.state, formula.fingerprint(state))
      local net = zoo.load(figure.name, formula.state(state), figure.options):double()
      local output = torch.noGrad(function() return net(formula.series('input', figure.input)) end)
      assertClose(torch.DoubleTensor(figure[1]), torch.DoubleTensor(formula.figures(output)), relative(1e-8))
    end)
  end

  for name, counts in pairs(figures.published) do
    it(name .. ' has the parameters and multiply-adds that torchvision states', function()
      local card = zoo.card(name)
      assert.equal(counts[1], card.parameters)
      assertClose(counts[2], card.multiplyAdds / 1e9, { atol = 0.00051 })
    end)
  end
end)
