-- Dropout of channels and alpha dropout: what the noise does, and that backward uses that of the last forward.
local torch, nn = require 'torch', require 'nn'
local assertClose = require('spec.support.close').assertClose

local sizes = { { 50, 8, 3 }, { 50, 8, 3, 2 }, { 50, 8, 3, 2, 2 } }

describe('Dropout of channels', function()
  for dims = 1, 3 do
    local function checkChannels(y, p, channels)
      local rows = y:contiguous():view(channels, -1)
      local dropped = 0
      for i = 1, channels do
        local low, high = rows[i]:min(), rows[i]:max()
        assert.equal(low, high)
        if low == 0 then dropped = dropped + 1 else assertClose(1 / (1 - p), low, 1e-12) end
      end
      assert.is_true(math.abs(dropped / channels - p) < 0.1)
    end

    it(('%dd drops whole channels, and scales the others'):format(dims), function()
      local x, module = torch.ones(unpack(sizes[dims])), nn[('Dropout%dd'):format(dims)](0.3)
      local y = module:forward(x):clone()
      checkChannels(y, 0.3, 400)
      assertClose(y, module:backward(x, x), 0)
      assert.equal(dims + 1, module:forward(torch.ones(unpack(sizes[dims], 2))):dim())
      checkChannels(nn.functional[('dropout%dd'):format(dims)](x, 0.3), 0.3, 400)
      local tracked = torch.ones(unpack(sizes[dims])):requiresGrad()
      local z = module(tracked)
      z:sum():backward()
      assertClose(z:detach(), tracked.grad, 0)
    end)
  end

  it('refuses inputs of other dimensions, and probabilities outside 0 to 1', function()
    assert.error_matches(function() nn.Dropout2d():forward(torch.ones(2, 3)) end, 'nn.Dropout2d: input: %[2, 3%], expected 3 or 4')
    assert.error_matches(function() nn.functional.dropout1d(torch.ones(2)) end, 'dropout1d: input: %[2%], expected 2 or 3')
    assert.error_matches(function() nn.Dropout1d(1.5) end, 'nn.Dropout1d: p: 1.5')
    assert.error_matches(function() nn.functional.alphaDropout(torch.ones(2), -1) end, 'alphaDropout: p: %-1')
  end)
end)

describe('Alpha dropout', function()
  local x = torch.randn(2000, 100)

  it('keeps mean 0 and variance 1', function()
    for _, y in ipairs {
      nn.AlphaDropout(0.3):forward(x), nn.FeatureAlphaDropout(0.3):forward(x:view(2000, 20, 5)),
      nn.functional.alphaDropout(x, 0.3, true), nn.functional.featureAlphaDropout(x:view(2000, 20, 5), 0.3, { training = true }),
    } do
      assert.is_true(math.abs(y:mean()) < 0.02)
      assert.is_true(math.abs(y:std() - 1) < 0.02)
    end
  end)

  it('moves dropped elements to the limit of SELU', function()
    local p, limit = 0.3, -1.0507009873554805 * 1.6732632423543772
    local a = 1 / math.sqrt((1 - p) * (1 + p * limit ^ 2))
    local b = -a * p * limit
    local module = nn.AlphaDropout(p)
    local y, gradient = module:forward(x), module:backward(x, torch.ones(2000, 100))
    local kept = torch.ne(gradient, 0):double()
    assertClose(torch.add(torch.cmul(kept, x), torch.cmul(1 - kept, x:clone():fill(limit))) * a + b, y, 1e-12)
    assertClose(torch.mul(kept, a), gradient, 1e-12)
    assert.is_true(math.abs(kept:mean() - 0.7) < 0.02)
  end)
end)

describe('A criterion without reduction', function()
  it('returns the loss of each element, and the gradient of their sum', function()
    local input, target = torch.randn(3, 4), torch.randn(3, 4)
    local criterion = nn.MSELoss('none')
    assertClose(torch.csub(input, target):pow(2), criterion:forward(input, target), 1e-12)
    assertClose(torch.csub(input, target) * 2, criterion:backward(input, target), 1e-12)
  end)
end)
