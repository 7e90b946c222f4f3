--- Classes of modules that add a border around the last 1 to 3 dimensions of their input.
-- @module nn.support.padding
local nn, torch = require 'nn', require 'torch'
local border, expectDims = require 'nn.support.border', require('nn.support.convolution').expectDims

--- Returns the function of the number of dimensions that declares a class.
-- @string family name without nn and the number of dimensions
-- @string mode constant, reflect, replicate or circular
-- @tparam[opt] number value of a constant border; by default it is an option
-- @treturn function
return function(family, mode, value)
  return function(dims)
    local name = ('nn.%s%dd'):format(family, dims)
    local options = { { 'padding', 'border', dims = dims, field = 'padding' } }
    if mode == 'constant' and not value then options[2] = { 'value', 'number', field = 'value' } end
    local last = options[2] and ', 1.5' or ''
    local function sample(padding)
      return { ('%s%dd(%s%s)'):format(family, dims, padding, last), { 2, 2, unpack({ 3, 4, 3 }, 1, dims) }, rows = true }
    end
    return (nn.declare {
      name = name, options = options, widens = false,
      compute = function(self, input)
        if mode ~= 'constant' then expectDims(name, input, dims) end
        local result = border.pad(name, input, self.padding, mode, value or self.value)
        return result == input and torch.clone(input) or result
      end,
      prints = function(self) return ('({%s})'):format(table.concat(self.padding, ', ')) end,
      samples = { sample '1', sample(('{ %s }'):format(table.concat({ '2, 0', '-1, 2', '1, 1' }, ', ', 1, dims))) },
    })
  end
end
