--- Keys and values of earlier positions, for attention that generates a sequence step by step.
-- A call of nn.MultiheadAttention with cache = cache appends its keys and values, and its queries see all of them; nn.TransformerEncoder
-- and the like use a part for each layer. Gradients don't flow into the cached positions.
-- @classmod nn.KeyValueCache
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local KeyValueCache = torch.class('nn.KeyValueCache')
KeyValueCache.__givesWay = true

--- Starts without positions.
function KeyValueCache:__init()
  self.length, self.layers = 0, {}
end

--- Forgets all positions.
-- @treturn nn.KeyValueCache self
function KeyValueCache:reset()
  self.length, self.keys, self.values = 0, nil, nil
  for _, layer in ipairs(self.layers) do layer:reset() end
  return self
end

--- Returns the cache of a layer, which is created when it is first asked for.
-- @int index from 1
-- @treturn nn.KeyValueCache
function KeyValueCache:layer(index)
  check.int('nn.KeyValueCache: layer', 'index', index, { min = 1, max = #self.layers + 1 })
  self.layers[index] = self.layers[index] or require('nn').KeyValueCache()
  return self.layers[index]
end

-- Appends rows to dimension 3 of a buffer, in which `length` are used; the buffer doubles when it is full.
local function appended(buffer, length, x)
  local total = length + x:size(3)
  if not buffer or buffer:size(3) < total then
    local larger = x.new(x:size(1), x:size(2), math.max(2 * length, total), x:size(4))
    if buffer and length > 0 then larger:narrow(3, 1, length):copy(buffer:narrow(3, 1, length)) end
    buffer = larger
  end
  buffer:narrow(3, length + 1, x:size(3)):copy(x)
  return buffer, buffer:narrow(3, 1, total)
end

--- Appends keys and values, and returns those of all positions.
-- @tparam torch.Tensor keys (N, heads, T, size)
-- @tparam torch.Tensor values likewise
-- @treturn torch.Tensor (N, heads, length, size)
-- @treturn torch.Tensor
-- @raise if the batch, the heads or the sizes differ from those of earlier positions
function KeyValueCache:append(keys, values)
  if self.keys then
    for d = 1, 4 do
      if d ~= 3 and self.keys:size(d) ~= keys:size(d) then
        check.raise(('nn.KeyValueCache: append: keys: %s, expected %s except in dimension 3'):format(
          require('torch.check.message').sizes(keys), require('torch.check.message').sizes(self.keys)), 'shape')
      end
    end
  end
  local allKeys, allValues
  torch.noGrad(function()
    self.keys, allKeys = appended(self.keys, self.length, keys:detach())
    self.values, allValues = appended(self.values, self.length, values:detach())
  end)
  self.length = self.length + keys:size(3)
  return allKeys, allValues
end

--- Returns the keys and values of all positions, of which there must be some.
-- @treturn torch.Tensor (N, heads, length, size)
-- @treturn torch.Tensor
function KeyValueCache:all()
  check.that(self.length > 0 and self.keys, 'nn.KeyValueCache: all: no positions, expected some')
  return self.keys:narrow(3, 1, self.length), self.values:narrow(3, 1, self.length)
end

function KeyValueCache:__tostring__() return ('nn.KeyValueCache(%d positions)'):format(self.length) end

return KeyValueCache
