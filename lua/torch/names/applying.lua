--- NumPy's functions that call a function of the program for slices, elements or positions.
-- @module torch.names.applying
local torch, check = require 'torch', require 'torch.check'
local broadcast = require 'torch.names.broadcast'

local applying = {}

--- Calls a function with each vector along a dimension. The tape records the ops inside.
-- @tparam function f (vector, ...) -> number or tensor, always of the same sizes
-- @int dim
-- @tparam torch.Tensor x
-- @param ... further arguments of f
-- @treturn torch.Tensor x's sizes, with those of the results in place of dim (none for numbers)
-- @raise if a result has other sizes than the first one
function applying.applyAlongAxis(f, dim, x, ...)
  check.callable('applyAlongAxis', 'f', f)
  check.tensor('applyAlongAxis', 'x', x)
  dim = check.dim('applyAlongAxis', 'dim', x, dim)
  local last = torch.movedim(x, dim, -1)
  local sizes, n = last:size():totable(), x:size(dim)
  local rows = torch.reshape(last, n > 0 and x:nElement() / n or 0, n)
  if rows:size(1) == 0 then check.raise('applyAlongAxis: x: no vectors, expected one at least', 'shape') end
  local list, own = {}, nil
  for i = 1, rows:size(1) do
    local value = f(rows:narrow(1, i, 1):view(n), ...)
    local isNumber = type(value) == 'number'
    local y = isNumber and torch.Tensor { value } or check.tensor('applyAlongAxis', 'f: result', value)
    own = own or { isNumber = isNumber, sizes = isNumber and {} or y:size():totable(), first = y }
    if not y:isSameSizeAs(own.first) then
      check.raise(('applyAlongAxis: f: a result of %s, expected %s as the first'):format(y:size(), own.first:size()), 'shape')
    end
    list[i] = torch.reshape(y, 1, y:nElement())
  end
  sizes[#sizes] = nil
  -- The dimensions of the results are last, and move to where dim was.
  local all, from, to = { unpack(sizes) }, {}, {}
  for i, size in ipairs(own.sizes) do
    all[#all + 1] = size
    from[i], to[i] = #sizes + i, dim + i - 1
  end
  if #all == 0 then return torch.reshape(torch.cat(list, 1), 1) end
  local result = torch.reshape(torch.cat(list, 1), all)
  return #from > 0 and torch.movedim(result, from, to) or result
end

--- Calls a function along each of several dimensions, one after the other. The tape records the ops inside.
-- @tparam function f (x, dim) -> tensor with the dimension, of size 1 for reductions, or without it
-- @tparam torch.Tensor x
-- @tparam int|{int,...} dims
-- @treturn torch.Tensor of as many dimensions as x
-- @raise if f returns another number of dimensions
function applying.applyOverAxes(f, x, dims)
  check.callable('applyOverAxes', 'f', f)
  check.tensor('applyOverAxes', 'x', x)
  local rank = x:dim()
  for _, dim in ipairs(type(dims) == 'table' and dims or { dims }) do
    dim = check.dim('applyOverAxes', 'dims', x, dim)
    local y = f(x, dim)
    if type(y) == 'number' then y = x.new(1):fill(y) end
    check.tensor('applyOverAxes', 'f: result', y)
    if y:dim() == rank - 1 then y = torch.unsqueeze(y, dim) end
    if y:dim() ~= rank then
      check.raise(('applyOverAxes: f: a result of %d dimensions, expected %d or %d'):format(y:dim(), rank, rank - 1), 'shape')
    end
    x = y
  end
  return x
end

--- Returns a function of tensors that calls a function of numbers for each element; sizes broadcast. For speed use ops of whole tensors.
-- @tparam function f (number, ...) -> number
-- @treturn function (tensor or number, ...) -> DoubleTensor, or a number of numbers; not on the tape
function applying.vectorize(f)
  check.callable('vectorize', 'f', f)
  return function(...)
    local list, isNumber = { ... }, true
    for i, x in ipairs(list) do
      if type(x) == 'number' then
        list[i] = torch.DoubleTensor { x }
      else
        isNumber = false
        list[i] = check.tensor('vectorize', 'arguments', x):detach():double()
      end
    end
    if #list == 0 then check.raise 'vectorize: arguments: none, expected one or more' end
    list = check.call(broadcast.list, 'vectorize', 'arguments', list)
    local result, columns = torch.DoubleTensor(list[1]:size()), {}
    for i, x in ipairs(list) do columns[i] = torch.reshape(x, x:nElement()) end
    local flat, arguments = result:view(-1), {}
    for k = 1, flat:nElement() do
      for i, column in ipairs(columns) do arguments[i] = column[k] end
      flat[k] = check.number('vectorize', 'f: result', f(unpack(arguments)))
    end
    return isNumber and flat[1] or result
  end
end
applying.frompyfunc = applying.vectorize

--- Iterates over all positions of sizes, the last one fastest.
-- @tparam {int,...}|torch.LongStorage sizes
-- @treturn function iterator: a new list of positions, from 1
-- @usage for at in torch.ndindex { 2, 3 } do print(at[1], at[2]) end
function applying.ndindex(sizes)
  if torch.isStorage(sizes) then sizes = sizes:totable() end
  check.table('ndindex', 'sizes', sizes)
  local count = 1
  for _, size in ipairs(sizes) do count = count * check.int('ndindex', 'sizes', size, { min = 0 }) end
  local k = 0
  return function()
    if k >= count then return nil end
    local rest, at = k, {}
    for d = #sizes, 1, -1 do
      at[d] = rest % sizes[d] + 1
      rest = (rest - at[d] + 1) / sizes[d]
    end
    k = k + 1
    return at
  end
end

--- Iterates over all elements of a tensor with their positions.
-- @tparam torch.Tensor x
-- @treturn function iterator: a new list of positions, from 1, and the element
-- @usage for at, value in torch.ndenumerate(x) do print(at[1], at[2], value) end
function applying.ndenumerate(x)
  check.tensor('ndenumerate', 'x', x)
  local flat, following, k = torch.reshape(x:detach(), x:nElement()), applying.ndindex(x:size()), 0
  if x:dim() == 0 then return function() return nil end end
  return function()
    local at = following()
    if not at then return nil end
    k = k + 1
    return at, flat[k]
  end
end

return applying
