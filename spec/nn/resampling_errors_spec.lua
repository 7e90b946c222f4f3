-- Resizing and sampling with PyTorch's names: wrong arguments, and what the figures of PyTorch don't say.
local torch, nn = require 'torch', require 'nn'
local autograd = require 'autograd'
local F = nn.functional
local raises = assert.error_matches
local assertClose = require('spec.support.close').assertClose

describe('Resizing', function()
  local x = torch.ones(1, 1, 4, 4)
  for what, case in pairs {
    ['neither size nor factor'] = { function() F.interpolate(x) end, 'nn%.functional%.interpolate: size: expected it or scaleFactor' },
    ['both'] = { function() F.interpolate(x, 2, 2) end, 'nn%.functional%.interpolate: size: expected it or scaleFactor' },
    ['a mode for another number of dimensions'] = { function() F.interpolate(x, 2, nil, 'linear') end,
      'nn%.functional%.interpolate: input: 4 dimensions, expected 3 for mode linear' },
    ['an input of 2 dimensions'] = { function() F.interpolate(x[1][1], 2) end, 'input: 2 dimensions, expected 3 to 5 for mode nearest' },
    ['an unknown mode'] = { function() F.interpolate(x, 2, nil, 'cubic') end, "nn%.functional%.interpolate: mode: 'cubic', expected" },
    ['aligned corners of nearest elements'] = { function() F.interpolate(x, 2, nil, 'nearest', true) end,
      'alignCorners: true, not for mode' },
    ['antialiasing of nearest elements'] = { function() F.interpolate(x, 2, { antialias = true }) end, 'antialias: true, expected mode' },
    ['a number of sizes that differs'] = { function() F.interpolate(x, { 2, 2, 2 }) end,
      'nn%.functional%.interpolate: size: 3 numbers, expected 1 or 2 for an input of 4 dimensions' },
    ['a factor for no elements'] = { function() F.interpolate(x, { scaleFactor = 0.1 }) end,
      'nn%.functional%.interpolate: input: size 4 of dimension 3, expected elements there, and in the result of size 0' },
    ['a size of 0'] = { function() nn.Upsample(0) end, 'nn%.Upsample: size: 0, expected a whole number, 1 or more' },
    ['a text for a factor'] = { function() nn.Upsample { scaleFactor = 'x' } end,
      "nn%.Upsample: scaleFactor: 'x', expected a number or a list" },
    ['a grid of another batch'] = { function() F.gridSample(x, torch.zeros(2, 3, 3, 2)) end, 'nn%.functional%.gridSample: grid: ' },
    ['a grid of another type'] = { function() F.gridSample(x, torch.FloatTensor(1, 3, 3, 2)) end, 'nn%.functional%.gridSample: grid: ' },
    ['a grid of three coordinates'] = { function() F.gridSample(x, torch.zeros(1, 3, 3, 3)) end, 'nn%.functional%.gridSample: grid: ' },
    ['bicubic volumes'] = { function() F.gridSample(torch.ones(1, 1, 2, 2, 2), torch.zeros(1, 2, 2, 2, 3), 'bicubic') end,
      'nn%.functional%.gridSample: input: 5 dimensions, expected 4 for mode bicubic' },
    ['an image without elements'] = { function() F.gridSample(torch.ones(1, 1, 0, 2), torch.zeros(1, 3, 3, 2)) end,
      'nn%.functional%.gridSample: input: %[1, 1, 0, 2%], expected elements' },
    ['a map of another size'] = { function() F.affineGrid(torch.ones(1, 3, 4), { 1, 1, 2, 2 }) end,
      'nn%.functional%.affineGrid: theta: %[1, 3, 4%], expected %[1, 2, 3%]' },
    ['sizes of a sequence'] = { function() F.affineGrid(torch.ones(1, 2, 3), { 1, 1, 2 }) end,
      'affineGrid: size: 3 sizes, expected 4 or 5' },
  } do
    it('refuses ' .. what, function() raises(case[1], case[2]) end)
  end

  it('to the same size returns a copy', function()
    local y = F.interpolate(x, 4)
    y:fill(3)
    assert.equal(16, x:sum())
  end)

  it('by the weights of a factor is that of the op where the factor maps the whole image', function()
    torch.manualSeed(5)
    local image = torch.randn(2, 1, 6, 8)
    for _, mode in ipairs { 'bilinear', 'bicubic' } do
      for _, antialias in ipairs { false, true } do
        local whole = F.interpolate(image, { scaleFactor = 0.5, mode = mode, antialias = antialias })
        local weighed = F.interpolate(image, { scaleFactor = 0.5 * (1 + 1e-8), mode = mode, antialias = antialias })
        assertClose(whole, weighed, 1e-5)
      end
    end
  end)

  it('samples at nan as outside, without an error', function()
    local grid = torch.zeros(1, 1, 2, 2):fill(0 / 0)
    grid[1][1][1]:zero()
    for _, mode in ipairs { 'bilinear', 'nearest', 'bicubic' } do
      for _, padding in ipairs { 'zeros', 'border', 'reflection' } do
        local y = F.gridSample(x, grid, mode, padding)
        assert.is_true(math.abs(y[1][1][1][1] - 1) < 1e-9)
      end
    end
  end)

  it('samples far outside', function()
    local grid = torch.zeros(1, 1, 2, 2):fill(1e30)
    for _, mode in ipairs { 'bilinear', 'nearest', 'bicubic' } do
      assertClose(torch.zeros(1, 1, 1, 2), F.gridSample(x, grid, mode))
      assertClose(torch.ones(1, 1, 1, 2), F.gridSample(x, grid, mode, 'border'))
    end
  end)

  it('has gradients of gradients', function()
    torch.manualSeed(2)
    local image, grid = torch.randn(1, 1, 3, 4), torch.randn(1, 2, 2, 2):mul(0.4)
    for _, mode in ipairs { 'bilinear', 'bicubic', 'nearest' } do
      local function squares(a, b)
        local y = F.gridSample(a, b, mode, 'border', true)
        return torch.cmul(y, y)
      end
      assert.is_true(autograd.gradcheck(squares, { image, grid }, { order = 2 }))
    end
  end)
end)
