--- Kernels for convolutions, and values mapped to a range. Arguments come by position, or in a table by name.
-- @module image
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local messages = require 'torch.check.message'

local kernels = {}

-- Arguments by name, from a table or in the order of the names.
local function named(where, names, ...)
  local first = ...
  if type(first) == 'table' and not torch.isTensor(first) then return check.options(where, first, names) end
  local values = {}
  for i, name in ipairs(names) do values[name] = (select(i, ...)) end
  return values
end

local names = {
  'size', 'sigma', 'amplitude', 'normalize', 'width', 'height', 'sigma_horz', 'sigma_vert', 'mean_horz', 'mean_vert', 'tensor',
}

-- Half the squared distances from the centre along an axis, in sigmas.
local function distances(size, sigma, mean)
  return torch.range(1, size):double():add(-(mean * size + 0.5)):div(sigma * size):pow(2):div(2)
end

-- Returns the result tensor for a kernel with `dims` dimensions, and its sizes, which must not change, if it has elements.
local function target(where, given, dims)
  if given == nil then return torch.Tensor() end
  if not torch.isTensor(given) or given:nElement() > 0 and dims and given:dim() ~= dims then
    check.raise(('%s: tensor: %s, expected a tensor%s'):format(where, messages.value(given),
      dims and (' of %d dimensions'):format(dims) or ''))
  end
  if given:nElement() > 0 then return given, unpack(given:size():totable()) end
  return given
end

-- Copies a kernel into the result tensor. Bytes are rounded and saturate.
local function give(out, result)
  if C.dtypeOf(out) == 'Byte' then result = torch.clamp(torch.floor(torch.add(result, 0.5)), 0, 255) end
  return out:resize(result:size()):copy(result)
end

-- A kernel of amplitude * shape(half the squared distance).
local function kernel(where, sigma, shape, ...)
  local a = named(where, names, ...)
  local size = check.whole(where, 'size', a.size or 3, { min = 1 })
  sigma = check.number(where, 'sigma', a.sigma or sigma)
  local amplitude = check.number(where, 'amplitude', a.amplitude or 1)
  local out, high, wide = target(where, a.tensor, 2)
  local width = check.whole(where, 'width', wide or a.width or size, { min = 1 })
  local height = check.whole(where, 'height', high or a.height or size, { min = 1 })
  local across = distances(width, check.number(where, 'sigma_horz', a.sigma_horz or sigma),
    check.number(where, 'mean_horz', a.mean_horz or 0.5))
  local down = distances(height, check.number(where, 'sigma_vert', a.sigma_vert or sigma),
    check.number(where, 'mean_vert', a.mean_vert or 0.5))
  local both = torch.add(down:view(height, 1):expand(height, width), across:view(1, width):expand(height, width))
  local result = shape(both):mul(amplitude)
  if a.normalize then result:div(result:sum()) end
  return give(out, result)
end

--- A two-dimensional Gaussian kernel.
-- @function gaussian
-- @int[opt=3] size of both sides
-- @number[opt=0.25] sigma as a fraction of the size
-- @number[opt=1] amplitude of the peak
-- @tparam[opt=false] boolean normalize whether the sum of the elements is 1
-- @int[opt] width
-- @int[opt] height
-- @number[opt] sigma_horz
-- @number[opt] sigma_vert
-- @number[opt=0.5] mean_horz the centre, as a fraction of the width
-- @number[opt=0.5] mean_vert
-- @tparam[opt] torch.Tensor tensor for the result, which has its sizes unless it is empty; bytes are rounded and saturate
-- @treturn torch.Tensor height x width
-- @usage image.gaussian { size = 5, normalize = true }:sum()   --> 1
function kernels.gaussian(...)
  return kernel('image.gaussian', 0.25, function(x) return torch.exp(x:neg()) end, ...)
end

--- A one-dimensional Gaussian kernel.
-- @function gaussian1D
-- @int[opt=3] size
-- @number[opt=0.25] sigma as a fraction of the size
-- @number[opt=1] amplitude of the peak
-- @tparam[opt=false] boolean normalize whether the sum of the elements is 1
-- @number[opt=0.5] mean the centre, as a fraction of the size
-- @tparam[opt] torch.Tensor tensor for the result, which has its size unless it is empty; bytes are rounded and saturate
-- @treturn torch.Tensor size elements
function kernels.gaussian1D(...)
  local where = 'image.gaussian1D'
  local a = named(where, { 'size', 'sigma', 'amplitude', 'normalize', 'mean', 'tensor' }, ...)
  local out, length = target(where, a.tensor, 1)
  local size = check.whole(where, 'size', length or a.size or 3, { min = 1 })
  local x = distances(size, check.number(where, 'sigma', a.sigma or 0.25), check.number(where, 'mean', a.mean or 0.5))
  local result = torch.exp(x:neg()):mul(check.number(where, 'amplitude', a.amplitude or 1))
  if a.normalize then result:div(result:sum()) end
  return give(out, result)
end

--- The two-dimensional Laplacian of a Gaussian with its sign changed: amplitude * (1 - d) exp(-d), where d is half the squared distance in
-- sigmas.
-- @function laplacian
-- @int[opt=3] size of both sides
-- @number[opt=0.1] sigma as a fraction of the size
-- @number[opt=1] amplitude of the peak
-- @tparam[opt=false] boolean normalize whether the sum of the elements is 1
-- @int[opt] width
-- @int[opt] height
-- @number[opt] sigma_horz
-- @number[opt] sigma_vert
-- @number[opt=0.5] mean_horz the centre, as a fraction of the width
-- @number[opt=0.5] mean_vert
-- @tparam[opt] torch.Tensor tensor for the result, which has its sizes unless it is empty; bytes are rounded and saturate
-- @treturn torch.Tensor height x width
function kernels.laplacian(...)
  local function shape(x) return torch.cmul(torch.rsub(x, 1), torch.exp(torch.neg(x))) end
  return kernel('image.laplacian', 0.1, shape, ...)
end

--- Maps values from min..max to 0..1.
-- @function minmax
-- @tparam torch.Tensor tensor
-- @number[opt] min default: the smallest value of the tensor
-- @number[opt] max default: the largest one
-- @tparam[opt=false] boolean symm whether the range is made symmetric about 0
-- @tparam[opt=false] boolean inplace whether the tensor itself is changed
-- @tparam[opt=false] boolean saturate whether values outside of the range become 0 or 1
-- @tparam[opt] torch.Tensor tensorOut for the result
-- @treturn torch.Tensor of the type of `tensor`; integers become the default type, unless in place
-- @usage image.minmax { tensor = torch.Tensor { 2, 3, 6 } }   --> 0, 0.25, 1
function kernels.minmax(...)
  local where = 'image.minmax'
  local a = named(where, { 'tensor', 'min', 'max', 'symm', 'inplace', 'saturate', 'tensorOut' }, ...)
  if not torch.isTensor(a.tensor) then check.raise(('%s: tensor: %s, expected a tensor'):format(where, messages.value(a.tensor))) end
  local x = a.tensor
  if not x:isFloatingPoint() then x = x:type(torch.getdefaulttensortype()) end
  local least, most = a.min, a.max
  if x:nElement() > 0 then least, most = least or x:min(), most or x:max() end
  least, most = check.number(where, 'min', least or 0), check.number(where, 'max', most or 0)
  if a.symm then
    most = math.max(math.abs(least), math.abs(most))
    least = -most
  end
  local result = torch.add(x, -least)
  if least ~= most then result = torch.div(result, most - least) end
  if a.saturate then result = torch.clamp(result, 0, 1) end
  local out = a.tensorOut and target(where, a.tensorOut) or a.inplace and a.tensor
  return out and out:resize(result:size()):copy(result) or result
end

return kernels
