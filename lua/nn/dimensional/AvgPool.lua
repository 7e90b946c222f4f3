--- The mean of each window, with PyTorch's arguments: nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d.
-- Shapes: x (N, C, …) or (C, …); each size L becomes floor((L + 2 padding - kernelSize) / stride) + 1, or rounded up with `ceilMode`.
-- @module nn.dimensional.AvgPool
local convolution, layer, prints = require 'nn.support.convolution', require 'nn.support.layer', require 'nn.support.window_text'

return function(dims)
  local function sample(arguments)
    return { ('AvgPool%dd(%s)'):format(dims, arguments), { 2, 2, unpack({ 5, 6, 4 }, 1, dims) }, rows = true }
  end
  local declaration = {
    name = ('nn.AvgPool%dd'):format(dims), prints = prints, call = ('avgPool%dd'):format(dims),
    samples = { sample '2', sample '3, 2, 1, { ceilMode = true, countIncludePad = false }' },
  }
  if dims ~= 2 then return (layer(declaration)) end                                        -- the rule of avgPool3d is no expression

  declaration.samples[3] = sample '2, 1, { divisorOverride = 3 }'
  declaration.values = convolution.names(2, 'kernel', 'stride', 'padding')
  local text = ('avgPool2d(input, %s, ceilMode, countIncludePad)'):format(table.concat(declaration.values, ', '))
  function declaration.formula(self)
    if self.divisorOverride then return nil end
    return text, convolution.numbers(2, self.kernelSize, self.stride or self.kernelSize, self.padding)
  end
  return (layer(declaration))
end
