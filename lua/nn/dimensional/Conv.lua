--- Convolutions with PyTorch's names and arguments: nn.Conv1d, nn.Conv2d, nn.Conv3d.
-- Shapes: x (N, inChannels, …) or without N -> (N, outChannels, …); each size L of a dimension becomes
-- floor((L + 2 padding - dilation (kernelSize - 1) - 1) / stride) + 1.
-- @module nn.dimensional.Conv
local torch, nn = require 'torch', require 'nn'
local check = require 'torch.check'

-- Names of the numbers that the formula passes to the op: strideH, …
local axes = { { '' }, { 'H', 'W' }, { 'T', 'H', 'W' } }

local function numbersOf(dims)
  local names = {}
  for _, field in ipairs { 'stride', 'padding', 'dilation' } do
    for _, axis in ipairs(axes[dims]) do names[#names + 1] = field .. axis end
  end
  return names
end

-- Returns these numbers, and then `last`.
local function gathered(self, dims, last)
  local values = {}
  for _, field in ipairs { 'stride', 'padding', 'dilation' } do
    for i = 1, dims do values[#values + 1] = self[field][i] end
  end
  values[#values + 1] = last
  return unpack(values)
end

return function(dims)
  local numbers = numbersOf(dims)
  local text = ('conv%dd(input, weight, bias, %s, groups)'):format(dims, table.concat(numbers, ', '))
  local function sample(arguments, ...) return { ('Conv%dd(%s)'):format(dims, arguments), { 2, 2, unpack({ 5, 6, 4 }, 1, dims) }, ... } end

  local declaration = {
    name = ('nn.Conv%dd'):format(dims),
    options = {
      { 'inChannels', 'int', min = 1, field = 'inChannels' }, { 'outChannels', 'int', min = 1, field = 'outChannels' },
      { 'kernelSize', 'window', dims = dims, min = 1, field = 'kernelSize' },
      { 'stride', 'window', dims = dims, min = 1, default = 1, field = 'stride' },
      { 'padding', 'window', dims = dims, min = 0, default = 0, field = 'padding' },
      { 'dilation', 'window', dims = dims, min = 1, default = 1, field = 'dilation' },
      { 'groups', 'int', min = 1, default = 1, field = 'groups' }, { 'bias', 'boolean', default = true },
    },
    parameters = {
      { 'weight', function(options)
        local inChannels, outChannels, groups = options.inChannels, options.outChannels, options.groups
        for _, name in ipairs { 'inChannels', 'outChannels' } do
          if options[name] % groups ~= 0 then
            check.raise(('nn.Conv%dd: %s: %d, expected a multiple of the %d groups'):format(dims, name, options[name], groups))
          end
        end
        return outChannels, inChannels / groups, unpack(options.kernelSize)
      end },
      { 'bias', function(options) if options.bias then return options.outChannels end end },
    },
    prints = function(self)
      return ('(%d, %d, {%s})'):format(self.inChannels, self.outChannels, table.concat(self.kernelSize, ', '))
    end,
    samples = { sample('2, 3, 2'), sample('2, 4, 2, { padding = 1, stride = 2, groups = 2, bias = false }') },
  }
  if dims < 3 then
    declaration.values, declaration.formula = numbers, function(self) return text, gathered(self, dims) end
  else                                                                        -- the rule of conv3d is no expression
    local conv3d = torch.conv3d
    function declaration.compute(self, input) return conv3d(input, self.weight, self.bias, gathered(self, dims, self.groups)) end
  end
  local Conv = nn.declare(declaration)

  --- Draws weight and bias uniformly between -s and s, s = 1 / sqrt(numbers that one output depends on).
  function Conv:reset() self:draw(1 / math.sqrt(self.weight:nElement() / self.weight:size(1))) end

  return Conv
end
