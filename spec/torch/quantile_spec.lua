-- Quantiles by all methods: NumPy's figures.
local torch = require 'torch'
local assertClose = require('spec.support.close').within { rtol = 1e-13, atol = 1e-13 }

local data = torch.DoubleTensor { 3, 1, 4, 1, 5, 9, 2, 6.5, -2, 8 }
local parts = torch.DoubleTensor { 0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.625, 0.75, 0.9, 1 }

describe('torch.quantile', function()
  for _, case in ipairs(require 'spec.torch.quantile_figures') do
    local count, method, expected = unpack(case)
    it(('of %d numbers by %s'):format(count, method), function()
      local x = data:narrow(1, 1, count)
      assertClose(expected, torch.quantile(x, parts, nil, method))
      for i = 1, parts:nElement() do assertClose({ expected[i] }, { torch.quantile(x, parts[i], nil, method) }) end
      local withNan = torch.cat(x, torch.DoubleTensor { 0 / 0, 0 / 0 })
      assertClose(expected, torch.nanquantile(withNan, parts, 1, method))
      assertClose(expected, torch.quantile(torch.expand(x:view(-1, 1), count, 2), parts, 1, method):select(2, 2))
    end)
  end

  it('names its methods', function()
    assert.error_matches(function() torch.quantile(data, 0.5, 1, 'harell') end,
      "quantile: method: 'harell', expected one of averaged_inverted_cdf, .*weibull")
  end)
end)
