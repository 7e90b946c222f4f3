-- Rearranged elements with PyTorch's names: wrong arguments, and what the figures of PyTorch don't say.
local torch, nn = require 'torch', require 'nn'
local F = nn.functional
local raises = assert.error_matches
local assertClose = require('spec.support.close').assertClose

describe('Rearranging', function()
  for what, case in pairs {
    ['channels that are no squares'] = { function() F.pixelShuffle(torch.ones(3, 2, 2), 2) end,
      'nn%.functional%.pixelShuffle: input: 3 channels, expected a multiple of 4' },
    ['channels of a module that are no squares'] = { function() nn.PixelShuffle(2):forward(torch.ones(3, 2, 2)) end,
      'nn%.PixelShuffle: input: 3 channels, expected a multiple of 4' },
    ['rows that are no squares'] = { function() F.pixelUnshuffle(torch.ones(1, 3, 4), 2) end,
      'nn%.functional%.pixelUnshuffle: input: 3 rows and 4 columns, expected multiples of 2' },
    ['matrices of pixels'] = { function() F.pixelUnshuffle(torch.ones(4, 4), 2) end,
      'pixelUnshuffle: input: 2 dimensions, expected 3 or more' },
    ['channels that are no groups'] = { function() F.channelShuffle(torch.ones(1, 3, 2), 2) end,
      'nn%.functional%.channelShuffle: input: 3 channels, expected a multiple of 2' },
    ['channels without positions'] = { function() F.channelShuffle(torch.ones(1, 3), 3) end,
      'channelShuffle: input: 2 dimensions, expected 3' },
    ['patches of a sequence'] = { function() F.unfold(torch.ones(3, 4), 2) end,
      'nn%.functional%.unfold: input: 2 dimensions, expected 3 or 4' },
    ['patches larger than the image'] = { function() F.unfold(torch.ones(1, 3, 3), { 2, 4 }) end,
      'nn%.functional%.unfold: size: 3 x 3, expected room for a patch of 2 x 4' },
    ['columns of another size'] = { function() F.fold(torch.ones(3, 4), 3, 2) end,
      'nn%.functional%.fold: input: 3 rows of 4 patches, expected a multiple of 4, of 4' },
    ['another number of patches'] = { function() F.fold(torch.ones(4, 5), 3, 2) end,
      'nn%.functional%.fold: input: 4 rows of 5 patches, expected a multiple of 4, of 4' },
    ['a fold of an image'] = { function() F.fold(torch.ones(1, 1, 4, 4), 3, 2) end,
      'nn%.functional%.fold: input: 4 dimensions, expected 2 or 3' },
    ['dimensions in reverse'] = { function() nn.Flatten(3, 2):forward(torch.ones(2, 2, 2)) end,
      'nn%.Flatten: startDim: 3, expected at most endDim, 2' },
    ['a dimension that is none'] = { function() nn.Flatten(4):forward(torch.ones(2, 2, 2)) end, 'nn%.Flatten: startDim: ' },
    ['sizes of another product'] = { function() nn.Unflatten(2, { 2, 2 }):forward(torch.ones(2, 6)) end,
      'nn%.Unflatten: unflattenedSize: {2, 2}, expected a product of 6' },
    ['a size that does not divide'] = { function() nn.Unflatten(2, { 4, -1 }):forward(torch.ones(2, 6)) end,
      'nn%.Unflatten: unflattenedSize: {4, %-1}, expected a product of 6' },
    ['two sizes that are open'] = { function() nn.Unflatten(2, { -1, -1 }):forward(torch.ones(2, 6)) end, 'unflattenedSize: %-1 twice' },
    ['responses of a matrix'] = { function() F.localResponseNorm(torch.ones(2, 2), 3) end,
      'nn%.functional%.localResponseNorm: input: 2 dimensions, expected 3 or more' },
    ['images of 3 dimensions'] = { function() nn.CrossMapLRN2d(3):forward(torch.ones(2, 2, 2)) end,
      'nn%.CrossMapLRN2d: input: 3 dimensions, expected 4' },
  } do
    it('refuses ' .. what, function() raises(case[1], case[2]) end)
  end

  it('in channels returns new elements, also for one group', function()
    local x = torch.ones(1, 2, 2)
    F.channelShuffle(x, 1):fill(2)
    F.channelShuffle(x, 2):fill(2)
    F.pixelUnshuffle(x, 1)
    assert.equal(4, x:sum())
  end)

  it('of nn.Flatten shares the memory of its input', function()
    local x = torch.ones(2, 2, 3)
    nn.Flatten():forward(x):fill(5)
    assert.equal(60, x:sum())
  end)

  it('of nn.CrossMapLRN2d is that of nn.SpatialCrossMapLRN', function()
    torch.manualSeed(4)
    local x = torch.randn(2, 9, 3, 2)
    assertClose(nn.SpatialCrossMapLRN(5, 0.4, 0.7, 2):forward(x), nn.CrossMapLRN2d(5, 0.4, 0.7, 2):forward(x))
  end)

  it('of nn.CrossMapLRN2d has windows of the next smaller odd size', function()
    local x = torch.Tensor { 1, 2, 3, 4 }:view(1, 4, 1, 1)
    local y = nn.CrossMapLRN2d(4, 4, 1):forward(x):view(-1)
    assertClose({ 1 / 6, 2 / 15, 3 / 30, 4 / 26 }, y)
  end)
end)
