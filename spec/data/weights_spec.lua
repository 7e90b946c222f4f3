-- Weights that data.WeightedSampler cannot draw by.
local torch, data = require 'torch', require 'data'

describe('data.WeightedSampler', function()
  it('refuses weights that are all 0, that are negative, or that are no vector', function()
    for _, weights in ipairs { { 0, 0, 0 }, { 1, -1, 2 }, torch.ones(2, 2) } do
      assert.error_matches(function() data.WeightedSampler(weights) end,
        'data.WeightedSampler: weights: a vector of numbers that are not negative, and not all 0, was expected', 1, true)
    end
  end)
  it('takes weights of which some are 0', function() assert.equal(3, data.WeightedSampler({ 0, 0, 0.5 }):size()) end)
end)
