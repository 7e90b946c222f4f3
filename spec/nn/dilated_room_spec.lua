-- The least input of a dilated convolution. Truth: a kernel of k elements with dilation d covers d (k - 1) + 1.
local torch, nn = require 'torch', require 'nn'

describe('nn.SpatialDilatedConvolution', function()
  it('says which output an input would have that is smaller than its dilated kernel', function()
    local module = nn.SpatialDilatedConvolution(1, 1, 3, 3, 1, 1, 0, 0, 2, 2)
    assert.error_matches(function() module:forward(torch.Tensor(1, 4, 4):zero()) end,
      'Given input size: (1 x 4 x 4). Calculated output size: (1 x 0 x 0). Output size is too small', 1, true)
    assert.same({ 1, 1, 1 }, module:forward(torch.Tensor(1, 5, 5):zero()):size():totable())
  end)
end)
