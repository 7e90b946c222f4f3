--- The maximum of each window, with PyTorch's arguments: nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d.
-- Shapes: x (N, C, …) or (C, …); each size L becomes floor((L + 2 padding - dilation (kernelSize - 1) - 1) / stride) + 1, or rounded up
-- with `ceilMode`. With `returnIndices` the result is a table {maxima, positions}, which nn.MaxUnpool accepts.
-- @module nn.dimensional.MaxPool
local nn, pooling, convolution = require 'nn', require 'nn.support.pooling', require 'nn.support.convolution'
local prints = require 'nn.support.window_text'

return function(dims)
  local name = ('nn.MaxPool%dd'):format(dims)
  local names = convolution.names(dims, 'kernel', 'stride', 'padding')
  local dilations = convolution.names(dims, 'dilation')
  local text = ('maxPool%dd(input, %s, ceilMode, %s)'):format(dims, table.concat(names, ', '), table.concat(dilations, ', '))
  local function window(key, least, default)
    return { key, 'window', dims = dims, min = least, default = default, optional = default == nil and key == 'stride', field = key }
  end
  local function sample(arguments)
    return { ('MaxPool%dd(%s)'):format(dims, arguments), { 2, 2, unpack({ 5, 6, 4 }, 1, dims) }, rows = true }
  end

  local function general(self, input)
    local values, indices = pooling.max(name, dims, input, self.kernelSize, self.stride, self.padding, self.dilation, self.ceilMode)
    return self.returnIndices and { values, indices } or values, indices
  end
  local declaration = {
    name = name,
    options = {
      window('kernelSize', 1), window('stride', 1), window('padding', 0, 0), window('dilation', 1, 1),
      { 'returnIndices', 'boolean', default = false, field = 'returnIndices' },
      { 'ceilMode', 'boolean', default = false, field = 'ceilMode' },
    },
    prints = prints,
    samples = { sample '2', sample '3, 2, 1, { ceilMode = true }', sample '2, { stride = 1, dilation = 2 }' },
  }
  if dims == 1 then
    declaration.widens = false
    function declaration.compute(self, input) return (general(self, input)) end
  else
    for _, dilation in ipairs(dilations) do names[#names + 1] = dilation end
    declaration.values, declaration.keeps, declaration.transient, declaration.otherwise = names, { 'indices' }, { 'indices' }, general
    function declaration.formula(self)
      if self.returnIndices then return nil end
      local kernel, stride, padding, dilation = self.kernelSize, self.stride or self.kernelSize, self.padding, self.dilation
      if dims == 2 then
        return text, kernel[1], kernel[2], stride[1], stride[2], padding[1], padding[2], dilation[1], dilation[2]
      end
      return text, kernel[1], kernel[2], kernel[3], stride[1], stride[2], stride[3], padding[1], padding[2], padding[3], dilation[1],
        dilation[2], dilation[3]
    end
  end
  return (nn.declare(declaration))
end
