--- Calling a Lua function for each element, in row-major order. The loops compile when the function does.
-- @module torch.apply
local ffi = require 'ffi'
local element = require 'torch.element'

local methods = {}

-- A dense tensor with x's elements, double or x's own type, and whether it is x itself.
local function dense(x)
  local plain = x:type() == 'torch.FloatTensor' or x:type() == 'torch.DoubleTensor'
  local work = plain and x or x:double()
  return work:contiguous(), plain and x:isContiguous()
end

local pointers = { ['torch.FloatTensor'] = ffi.typeof 'float *', ['torch.DoubleTensor'] = ffi.typeof 'double *' }
local function pointer(x) return ffi.cast(pointers[x:type()], x:data()) end

local function checkNumber(name, value)
  if type(value) ~= 'number' then error(name .. ': function: it returned a ' .. type(value) .. ', a number or nil was expected', 4) end
  return value
end

local function checkOther(name, x, other)
  local torch = require 'torch'
  if not torch.isTensor(other) or other:type() ~= x:type() or other:nElement() ~= x:nElement() then
    error(name .. ': tensor: one of ' .. x:type() .. ' with ' .. x:nElement() .. ' elements was expected', 3)
  end
end

local function finish(x, work, same)
  if not same then x:copy(work) else element.touch(x) end
  return x
end

--- x = f(x) for each element; where f returns nothing the element stays.
-- @tparam function f number -> number or nil
-- @treturn torch.Tensor x
function methods.apply(x, f)
  if x:nElement() == 0 then return x end
  local work, same = dense(x)
  local p = pointer(work)
  for i = 0, work:nElement() - 1 do
    local value = f(p[i])
    if value then p[i] = checkNumber('apply', value) end
  end
  return finish(x, work, same)
end

--- x = f(x, y) for each pair of elements; where f returns nothing the element stays.
-- @tparam torch.Tensor y the same type and number of elements
-- @tparam function f
-- @treturn torch.Tensor x
function methods.map(x, y, f)
  checkOther('map', x, y)
  if x:nElement() == 0 then return x end
  local work, same = dense(x)
  local other = dense(y)
  local p, q = pointer(work), pointer(other)
  for i = 0, work:nElement() - 1 do
    local value = f(p[i], q[i])
    if value then p[i] = checkNumber('map', value) end
  end
  return finish(x, work, same)
end

--- x = f(x, y, z) for each triple of elements.
-- @treturn torch.Tensor x
function methods.map2(x, y, z, f)
  checkOther('map2', x, y)
  checkOther('map2', x, z)
  if x:nElement() == 0 then return x end
  local work, same = dense(x)
  local second, third = dense(y), dense(z)
  local p, q, r = pointer(work), pointer(second), pointer(third)
  for i = 0, work:nElement() - 1 do
    local value = f(p[i], q[i], r[i])
    if value then p[i] = checkNumber('map2', value) end
  end
  return finish(x, work, same)
end

return methods
