--- Classes of pooling modules with a fixed number of bins, in 1 to 3 dimensions.
-- Bin i of n, along a dimension of size s, extends from floor((i - 1) s / n) + 1 to ceil(i s / n).
-- @module nn.support.adaptive_pool
local layer = require 'nn.support.layer'

--- Returns the function of the number of dimensions that declares a class.
-- @string family name without nn and the number of dimensions; that of the function of nn.functional begins with a small letter
-- @tparam[opt] boolean widens that of nn.declare
-- @treturn function
return function(family, widens)
  return function(dims)
    local name = ('%s%dd'):format(family, dims)
    local function sample(arguments)
      return { ('%s(%s)'):format(name, arguments), { 2, 2, unpack({ 5, 6, 4 }, 1, dims) }, rows = true }
    end
    return (layer {
      name = 'nn.' .. name, call = (name:gsub('^A', 'a')), widens = widens,
      prints = function(self)
        local sizes = {}
        for i = 1, dims do sizes[i] = tostring(self.outputSize[i]) end
        return ('({%s})'):format(table.concat(sizes, ', '))
      end,
      samples = { sample '3', sample '1', sample(('{ %s }'):format(table.concat({ 'false', '5', '2' }, ', ', 1, dims))) },
    })
  end
end
