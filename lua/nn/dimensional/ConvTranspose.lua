--- Transposed convolutions with PyTorch's names and arguments: nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d.
-- Shapes: x (N, inChannels, …) or without N -> (N, outChannels, …); each size L of a dimension becomes
-- (L - 1) stride - 2 padding + dilation (kernelSize - 1) + 1 + outputPadding.
-- A call `module(x, outputSize)` with a list of sizes chooses the outputPadding; outputSize may contain the batch and the channels.
-- @module nn.dimensional.ConvTranspose
local torch, nn, convolution = require 'torch', require 'nn', require 'nn.support.convolution'
local check, messages = require 'torch.check', require 'torch.check.message'

return function(dims)
  local name = ('nn.ConvTranspose%dd'):format(dims)
  local op = torch[('convTranspose%dd'):format(dims)]
  local numbers = convolution.names(dims, 'stride', 'padding', 'outputPadding')
  local dilations = convolution.names(dims, 'dilation')
  for i = 1, dims do numbers[2 * dims + dims + i] = dilations[i] end
  local text = ('convTranspose%dd(input, weight, bias, %s, groups)'):format(dims, table.concat(numbers, ', '))
  local function sample(arguments) return { ('ConvTranspose%dd(%s)'):format(dims, arguments), { 2, 2, unpack({ 3, 4, 2 }, 1, dims) } } end
  local function window(key, least, default)
    return { key, 'window', dims = dims, min = least, default = default, field = key }
  end

  local declaration = {
    name = name,
    options = {
      { 'inChannels', 'int', min = 1, field = 'inChannels' }, { 'outChannels', 'int', min = 1, field = 'outChannels' },
      window('kernelSize', 1), window('stride', 1, 1), window('padding', 0, 0), window('outputPadding', 0, 0),
      { 'groups', 'int', min = 1, default = 1, field = 'groups' }, { 'bias', 'boolean', default = true },
      window('dilation', 1, 1), { 'paddingMode', 'choice', choices = { 'zeros' }, default = 'zeros', field = 'paddingMode' },
    },
    parameters = {
      { 'weight', function(options)
        convolution.expectGroups(name, options)
        return options.inChannels, options.outChannels / options.groups, unpack(options.kernelSize)
      end },
      { 'bias', function(options) if options.bias then return options.outChannels end end },
    },
    prints = convolution.text,
    samples = {
      sample '2, 3, 2', sample '2, 4, 3, { padding = 1, stride = 2, outputPadding = 1, groups = 2, bias = false, dilation = 2 }',
    },
  }
  if dims < 3 then
    declaration.values = numbers
    function declaration.formula(self)
      local stride, padding, more, dilation = self.stride, self.padding, self.outputPadding, self.dilation
      if dims == 1 then return text, stride[1], padding[1], more[1], dilation[1] end
      return text, stride[1], stride[2], padding[1], padding[2], more[1], more[2], dilation[1], dilation[2]
    end
  else                                                                        -- the rule of convTranspose3d is no expression
    function declaration.compute(self, input)
      local stride, padding, dilation = self.stride, self.padding, self.dilation
      return op(input, self.weight, self.bias, stride[1], stride[2], stride[3], padding[1], padding[2], padding[3], self.outputPadding,
        dilation[1], dilation[2], dilation[3], self.groups)
    end
  end
  local ConvTranspose, parent = nn.declare(declaration)

  --- Draws weight and bias uniformly between -s and s, s = 1 / sqrt(numbers of one input channel's filters).
  function ConvTranspose:reset() self:draw(1 / math.sqrt(self.weight:nElement() / self.weight:size(1))) end

  -- The outputPadding for a call with sizes.
  local function paddingFor(self, input, size)
    convolution.expectDims(name, input, dims)
    if #size ~= dims and #size ~= input:dim() then
      check.raise(('%s: outputSize: %s, expected a list of %d sizes'):format(name, messages.value(size), dims))
    end
    local more = {}
    for i = 1, dims do
      local wanted = check.int(name, ('outputSize[%d]'):format(i), size[#size - dims + i])
      local least = (input:size(input:dim() - dims + i) - 1) * self.stride[i] - 2 * self.padding[i]
        + self.dilation[i] * (self.kernelSize[i] - 1) + 1
      more[i] = check.int(name, ('outputSize[%d]'):format(i), wanted, { min = least, max = least + self.stride[i] - 1 }) - least
    end
    return more
  end

  ConvTranspose.__call__ = require 'nn.support.sized'(parent, 'outputPadding', paddingFor)

  return ConvTranspose
end
