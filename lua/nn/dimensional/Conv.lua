--- Convolutions with PyTorch's names and arguments: nn.Conv1d, nn.Conv2d, nn.Conv3d.
-- Shapes: x (N, inChannels, …) or without N -> (N, outChannels, …); each size L of a dimension becomes
-- floor((L + 2 padding - dilation (kernelSize - 1) - 1) / stride) + 1, or stays for padding 'same'.
-- @module nn.dimensional.Conv
local nn, convolution = require 'nn', require 'nn.support.convolution'

return function(dims)
  local name = ('nn.Conv%dd'):format(dims)
  local numbers = convolution.names(dims, 'stride', 'padding', 'dilation')
  local text = ('conv%dd(input, weight, bias, %s, groups)'):format(dims, table.concat(numbers, ', '))
  local function sample(arguments, ...) return { ('Conv%dd(%s)'):format(dims, arguments), { 2, 2, unpack({ 5, 6, 4 }, 1, dims) }, ... } end

  local function general(self, input)
    return convolution.run(name, dims, input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups,
      self.paddingMode)
  end
  local declaration = {
    name = name,
    options = {
      { 'inChannels', 'int', min = 1, field = 'inChannels' }, { 'outChannels', 'int', min = 1, field = 'outChannels' },
      { 'kernelSize', 'window', dims = dims, min = 1, field = 'kernelSize' },
      { 'stride', 'window', dims = dims, min = 1, default = 1, field = 'stride' },
      { 'padding', 'padding', dims = dims, min = 0, default = 0, field = 'padding' },
      { 'dilation', 'window', dims = dims, min = 1, default = 1, field = 'dilation' },
      { 'groups', 'int', min = 1, default = 1, field = 'groups' }, { 'bias', 'boolean', default = true },
      { 'paddingMode', 'choice', choices = { 'zeros', 'reflect', 'replicate', 'circular' }, default = 'zeros', field = 'paddingMode' },
    },
    parameters = {
      { 'weight', function(options)
        convolution.expectGroups(name, options)
        convolution.before(name, options.padding, options.kernelSize, options.stride, options.dilation)
        return options.outChannels, options.inChannels / options.groups, unpack(options.kernelSize)
      end },
      { 'bias', function(options) if options.bias then return options.outChannels end end },
    },
    prints = convolution.text,
    samples = {
      sample '2, 3, 2', sample '2, 4, 2, { padding = 1, stride = 2, groups = 2, bias = false }',
      sample "2, 3, 2, { padding = 'same', dilation = 1 }", sample "2, 3, 3, { padding = 1, paddingMode = 'circular' }",
    },
  }
  if dims < 3 then
    declaration.values, declaration.otherwise = numbers, general
    function declaration.formula(self)
      if self.paddingMode ~= 'zeros' then return nil end
      local before, isEven = convolution.before(name, self.padding, self.kernelSize, self.stride, self.dilation)
      if not isEven then return nil end
      return text, convolution.numbers(dims, self.stride, before, self.dilation)
    end
  else                                                                        -- the rule of conv3d is no expression
    declaration.compute = general
  end
  local Conv = nn.declare(declaration)

  --- Draws weight and bias uniformly between -s and s, s = 1 / sqrt(numbers that one output depends on).
  function Conv:reset() self:draw(1 / math.sqrt(self.weight:nElement() / self.weight:size(1))) end

  return Conv
end
