-- Networks against torchvision's: names and sizes of states, and outputs, with parameters of a formula.
local torch = require 'torch'
local zoo, catalogue = require 'zoo', require 'zoo.catalogue'
local figures, formula = require 'spec.zoo.figures', require 'spec.zoo.formula'
local assertClose, relative = require('spec.support.close').assertClose, require('spec.support.close').relative

describe('the network', function()
  for _, figure in ipairs(figures) do
    it(("%s of %d x %d gives torchvision's output"):format(figure.name, figure.input[3], figure.input[4]), function()
      local family = catalogue.family('spec', figure.name)
      local options = family:optionsOf('spec', figure.name, figure.options)
      options.hidden = options.hidden and 8
      local net = family.make(options):double():eval()
      local state = net:stateDict()
      assert.equal(figure.state, formula.fingerprint(state))
      net:loadStateDict(formula.state(state), { strict = false })
      local output = torch.noGrad(function() return net(formula.series('input', figure.input)) end)
      assertClose(torch.DoubleTensor(figure[1]), torch.DoubleTensor(formula.figures(output)), relative(1e-8))
    end)
  end

  for name, counts in pairs(figures.published) do
    it(name .. ' has the parameters and multiply-adds that torchvision states', function()
      local card = zoo.card(name, name == 'googlenet' and { auxLogits = false } or nil)      -- of which torchvision counts none
      assert.equal(counts[1], card.parameters)
      assertClose(counts[2], card.multiplyAdds / 1e9, { atol = 0.00051 })
    end)
  end
end)
