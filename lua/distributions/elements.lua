--- Functions of doubles applied to each element of tensors.
-- @module distributions.elements
local torch = require 'torch'
local ffi = require 'ffi'
local shapes = require 'distributions.shapes'

local elements = {}
local pointer = ffi.typeof 'double *'

--- Expands tensors to their common sizes.
-- @param ... tensors that broadcast
-- @return tensors
function elements.common(...)
  local list, sizes = { ... }, {}
  for _, x in ipairs(list) do sizes = shapes.broadcast(sizes, x:size():totable()) end
  for i, x in ipairs(list) do
    if not shapes.equal(x:size():totable(), sizes) then list[i] = x:expand(unpack(sizes)) end
  end
  return unpack(list)
end

--- Applies a function of up to six numbers that returns up to three.
-- @tparam function f
-- @int results number of results
-- @param ... tensors that broadcast
-- @return DoubleTensors
function elements.map(f, results, ...)
  local list = { elements.common(...) }
  local sizes = list[1]:size()
  local inputs, outputs, from, to = {}, {}, {}, {}
  for i = 1, 6 do
    inputs[i] = (list[i] or list[1]):double():contiguous()
    from[i] = ffi.cast(pointer, inputs[i]:data())
  end
  for i = 1, 3 do
    outputs[i] = torch.DoubleTensor(sizes)
    to[i] = ffi.cast(pointer, outputs[i]:data())
  end
  local a, b, c, d, e, g, x, y, z = from[1], from[2], from[3], from[4], from[5], from[6], to[1], to[2], to[3]
  for i = 0, inputs[1]:nElement() - 1 do x[i], y[i], z[i] = f(a[i], b[i], c[i], d[i], e[i], g[i]) end
  return unpack(outputs, 1, results)
end

return elements
