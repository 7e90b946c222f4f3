--- NumPy's functions that choose elements by masks, positions and conditions, and write to those chosen.
-- @module torch.names.choosing
local torch, check = require 'torch', require 'torch.check'
local broadcast = require 'torch.names.broadcast'
local sizesOf = require('torch.check.message').sizes

local choosing = {}

-- Returns numbers as tensors of one element.
local function tensorOf(where, name, value, like)
  if type(value) == 'number' then return (like and like.new(1) or torch.Tensor(1)):fill(value) end
  return check.tensor(where, name, value)
end

-- Copies values into a tensor, in order, again from the first where there are fewer.
local function repeated(where, x, values, count)
  values = tensorOf(where, 'values', values, x)
  local n = values:nElement()
  if n == 0 then check.raise(where .. ': values: none, expected one or more', 'shape') end
  local flat = torch.reshape(values, n):typeAs(x)
  return n < count and torch.narrow(flat:repeatTensor(math.ceil(count / n)), 1, 1, count) or torch.narrow(flat, 1, 1, count)
end

local function sameSize(where, mask, x)
  check.tensor(where, 'mask', mask)
  check.tensor(where, 'x', x)
  if mask:nElement() ~= x:nElement() then
    check.raise(('%s: mask: %s, expected %s'):format(where, sizesOf(mask), sizesOf(x)), 'shape')
  end
  return torch.ne(mask, 0)
end

--- Returns for each position the element of the choice with this number: y[i] = choices[index[i]][i]. Sizes broadcast.
-- @tparam torch.Tensor index numbers of choices, from 1
-- @tparam {torch.Tensor|number,...} choices
-- @string[opt='raise'] mode of numbers out of range: 'raise' an error, 'wrap' around, 'clip' to the end
-- @treturn torch.Tensor
-- @raise if a number is out of range, or sizes don't fit
function choosing.choose(index, choices, mode)
  check.tensor('choose', 'index', index)
  check.table('choose', 'choices', choices)
  mode = check.choice('choose', 'mode', mode or 'raise', { 'raise', 'wrap', 'clip' })
  local n, list = #choices, { index:long() }
  if n == 0 then check.raise 'choose: choices: none, expected one or more' end
  if mode == 'wrap' then
    list[1] = torch.add(torch.remainder(torch.add(list[1], -1), n), 1)
  elseif mode == 'clip' then
    list[1] = torch.clamp(list[1], 1, n)
  elseif index:nElement() > 0 and (list[1]:min() < 1 or list[1]:max() > n) then
    check.raise(('choose: index: a number out of range, expected 1 to %d'):format(n), 'range')
  end
  for i, choice in ipairs(choices) do list[i + 1] = tensorOf('choose', 'choices', choice) end
  list = check.call(broadcast.list, 'choose', 'choices', list)
  local result = list[2]
  for i = 2, n do result = torch.where(torch.eq(list[1], i), list[i + 1], result) end
  return n == 1 and torch.clone(result) or result
end

--- Returns for each position the element of the first value whose mask has a one there (NumPy's select). Sizes broadcast.
-- @tparam {torch.Tensor,...} masks
-- @tparam {torch.Tensor|number,...} values one for each mask
-- @tparam[opt=0] torch.Tensor|number default where no mask has a one
-- @treturn torch.Tensor
-- @raise if there are not as many values as masks, or sizes don't fit
function choosing.selectByMask(masks, values, default)
  check.table('selectByMask', 'masks', masks)
  check.table('selectByMask', 'values', values)
  if #masks ~= #values or #masks == 0 then
    check.raise(('selectByMask: values: %d, expected one for each of %d masks'):format(#values, #masks), 'shape')
  end
  local list, n = {}, #masks
  for i = 1, n do
    list[i] = check.tensor('selectByMask', 'masks', masks[i])
    list[n + i] = tensorOf('selectByMask', 'values', values[i])
  end
  list[2 * n + 1] = tensorOf('selectByMask', 'default', default or 0, list[n + 1])
  list = check.call(broadcast.list, 'selectByMask', 'values', list)
  local result = list[2 * n + 1]
  for i = n, 1, -1 do result = torch.where(torch.ne(list[i], 0), list[n + i], result) end
  return result
end

--- Returns a function by pieces: where a mask has a one, the value of its function of x there; the last such mask counts.
-- @tparam torch.Tensor x
-- @tparam {torch.Tensor,...} masks of x's sizes
-- @tparam {function|number,...} functions one for each mask, and optionally one more for the rest, by default 0
-- @param ... further arguments of the functions
-- @treturn torch.Tensor of x's type and sizes
-- @raise if the numbers of masks and functions don't fit
function choosing.piecewise(x, masks, functions, ...)
  check.tensor('piecewise', 'x', x)
  if torch.isTensor(masks) then masks = { masks } end
  check.table('piecewise', 'masks', masks)
  check.table('piecewise', 'functions', functions)
  local n = #masks
  if #functions ~= n and #functions ~= n + 1 then
    check.raise(('piecewise: functions: %d, expected %d or %d'):format(#functions, n, n + 1), 'shape')
  end
  local taken, list = nil, {}
  for i, mask in ipairs(masks) do
    list[i] = torch.reshape(sameSize('piecewise', mask, x), x:size())
    taken = taken and torch.cmax(taken, list[i]) or list[i]
  end
  if functions[n + 1] ~= nil then list[n + 1] = taken and torch.eq(taken, 0) or torch.ones(x:size(), 'uint8') end
  local flat, y = torch.reshape(x, x:nElement()), torch.mul(torch.reshape(x, x:nElement()):detach(), 0)
  if x:isFloatingPoint() then y = torch.zeros(x:nElement(), x:type()) end
  for i, mask in ipairs(list) do
    mask = torch.reshape(mask, x:nElement())
    local f = functions[i]
    if x:nElement() > 0 and torch.any(mask) then
      if type(f) == 'number' then
        y = torch.maskedFill(y, mask, f)
      else
        check.callable('piecewise', 'functions', f)
        local value = f(torch.maskedSelect(flat, mask), ...)
        y = torch.maskedScatter(y, mask, torch.isTensor(value) and value:typeAs(x) or x.new(mask:sum()):fill(value))
      end
    end
  end
  return torch.reshape(y, x:size())
end

--- Returns the elements of x where a mask has ones, a vector.
-- @tparam torch.Tensor mask as many elements as x
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
function choosing.extract(mask, x)
  local list = torch.maskedSelect(x, torch.reshape(sameSize('extract', mask, x), x:size()))
  return torch.reshape(list, list:nElement())
end

--- Returns the slices of a dimension where a mask has ones; without dim the elements of x as a vector.
-- @tparam torch.Tensor mask vector, at most as long as the dimension
-- @tparam torch.Tensor x
-- @int[opt] dim
-- @treturn torch.Tensor
-- @raise if the mask is longer
function choosing.compress(mask, x, dim)
  check.tensor('compress', 'mask', mask)
  check.tensor('compress', 'x', x)
  if dim == nil then x, dim = torch.reshape(x, x:nElement()), 1 end
  dim = check.dim('compress', 'dim', x, dim)
  local places = mask:nElement() > 0 and torch.nonzero(mask) or torch.LongTensor(0)
  if mask:dim() ~= 1 or places:nElement() > 0 and places:max() > x:size(dim) then
    check.raise(('compress: mask: %s, expected a vector of at most %d'):format(sizesOf(mask), x:size(dim)), 'shape')
  end
  if places:nElement() == 0 then return torch.clone(torch.narrow(x, dim, 1, 0)) end
  return torch.index(x, dim, places:view(-1))
end

--- Writes values to the elements of x where a mask has ones, one after the other, again from the first if there are fewer.
-- @tparam torch.Tensor x is changed
-- @tparam torch.Tensor mask as many elements as x
-- @tparam torch.Tensor|number values
-- @treturn torch.Tensor x
function choosing.place(x, mask, values)
  mask = torch.reshape(sameSize('place', mask, x), x:size())
  local count = tonumber(mask:sum())
  if count > 0 then x:maskedCopy(mask, repeated('place', x, values, count)) end
  return x
end

--- Writes values to the elements of x where a mask has ones: the value at the same position, the values repeated to x's number of elements.
-- @tparam torch.Tensor x is changed
-- @tparam torch.Tensor mask as many elements as x
-- @tparam torch.Tensor|number values
-- @treturn torch.Tensor x
function choosing.putmask(x, mask, values)
  mask = torch.reshape(sameSize('putmask', mask, x), x:size())
  if x:nElement() > 0 and torch.any(mask) then
    x:maskedCopy(mask, torch.maskedSelect(torch.reshape(repeated('putmask', x, values, x:nElement()), x:size()), mask))
  end
  return x
end

--- Copies values into x, all or where a mask has ones. Sizes broadcast to x's.
-- @tparam torch.Tensor x is changed
-- @tparam torch.Tensor|number source
-- @tparam[opt] torch.Tensor mask
-- @treturn torch.Tensor x
-- @raise if sizes don't fit
function choosing.copyto(x, source, mask)
  check.tensor('copyto', 'x', x)
  source = tensorOf('copyto', 'source', source, x)
  local function fitted(name, value)
    local good, spread = pcall(torch.expand, value, x:size())
    if not good then check.raise(('copyto: %s: %s, expected %s'):format(name, sizesOf(value), sizesOf(x)), 'shape') end
    return spread
  end
  source = fitted('source', source)
  if mask == nil then return x:copy(source) end
  mask = fitted('mask', torch.ne(check.tensor('copyto', 'mask', mask), 0))
  if x:nElement() > 0 and torch.any(mask) then x:maskedCopy(mask, torch.maskedSelect(source, mask):typeAs(x)) end
  return x
end

--- Writes values to positions along a dimension: x[index[i][j]][j] = values[i][j] along the first. Sizes broadcast.
-- @tparam torch.Tensor x is changed
-- @tparam torch.Tensor index positions, a LongTensor of as many dimensions
-- @tparam torch.Tensor|number values sizes that broadcast to the index's
-- @int dim
-- @treturn torch.Tensor x
-- @raise if a position is out of range, or sizes don't fit
function choosing.putAlongAxis(x, index, values, dim)
  check.tensor('putAlongAxis', 'x', x)
  check.tensor('putAlongAxis', 'index', index)
  dim = check.dim('putAlongAxis', 'dim', x, dim)
  if index:dim() ~= x:dim() then
    check.raise(('putAlongAxis: index: %s, expected as many dimensions as %s'):format(sizesOf(index), sizesOf(x)), 'shape')
  end
  local sizes = x:size()
  sizes[dim] = index:size(dim)
  local good, places = pcall(torch.expand, index, sizes)
  if not good then
    check.raise(('putAlongAxis: index: %s, expected sizes that broadcast with %s'):format(sizesOf(index), sizesOf(x)), 'shape')
  end
  if index:nElement() > 0 and (index:min() < 1 or index:max() > x:size(dim)) then
    check.raise(('putAlongAxis: index: a position out of range, expected 1 to %d'):format(x:size(dim)), 'range')
  end
  values = tensorOf('putAlongAxis', 'values', values, x)
  local fits, spread = pcall(torch.expand, values, sizes)
  if not fits then check.raise(('putAlongAxis: values: %s, expected %s'):format(sizesOf(values), sizesOf(places)), 'shape') end
  return check.call(x.scatter, x, dim, places:contiguous(), spread:contiguous():typeAs(x))
end

--- Returns the positions of the elements that are not 0, through all elements.
-- @tparam torch.Tensor x
-- @treturn torch.LongTensor vector, from 1
function choosing.flatnonzero(x)
  check.tensor('flatnonzero', 'x', x)
  if x:nElement() == 0 then return torch.LongTensor(0) end
  local places = torch.nonzero(torch.reshape(x, x:nElement()))
  return places:nElement() > 0 and places:view(-1) or torch.LongTensor(0)
end

--- Returns the order that sorts by several keys: by the last one, where it is equal by the one before, and so on.
-- @tparam {torch.Tensor,...}|torch.Tensor keys vectors of one length, or a matrix with a key a row
-- @treturn torch.LongTensor positions
-- @raise if the lengths differ
function choosing.lexsort(keys)
  if torch.isTensor(keys) then
    if keys:dim() == 1 then keys = { keys } else keys = torch.unbind(keys, 1) end
  end
  check.table('lexsort', 'keys', keys)
  local order
  for i, key in ipairs(keys) do
    check.tensor('lexsort', 'keys', key)
    if key:dim() ~= 1 or order and key:size(1) ~= order:size(1) then
      check.raise(('lexsort: keys: %s as number %d, expected vectors of one length'):format(sizesOf(key), i), 'shape')
    end
    if key:size(1) == 0 then return torch.LongTensor(0) end
    local own = order and torch.index(key, 1, order) or key
    local places = torch.argsort(own:detach(), 1)
    order = order and torch.index(order, 1, places) or places
  end
  if not order then check.raise 'lexsort: keys: none, expected one or more' end
  return order
end

--- Returns the bin of each element: the number of edges that are not larger, for ascending edges (with right: that are smaller).
-- For descending edges: the number of those that are larger (with right: not smaller).
-- @tparam torch.Tensor|number x
-- @tparam torch.Tensor bins edges, a vector in ascending or descending order
-- @bool[opt=false] right whether bins include the right edge
-- @treturn torch.LongTensor of x's sizes, 0 below the first edge; a number for a number
-- @raise if the edges are in no order
function choosing.digitize(x, bins, right)
  check.tensor('digitize', 'bins', bins)
  check.flag('digitize', 'right', right)
  local whole = type(x) == 'number'
  x = tensorOf('digitize', 'x', x, bins)
  if bins:dim() ~= 1 or bins:nElement() == 0 then check.raise(('digitize: bins: %s, expected a vector'):format(sizesOf(bins)), 'shape') end
  local steps = torch.diff(bins:detach():double())
  local up, down = torch.all(torch.ge(steps, 0)), torch.all(torch.le(steps, 0))
  if not up and not down then check.raise 'digitize: bins: expected edges in ascending or descending order' end
  local result
  if up then
    result = torch.add(torch.searchsorted(bins, x, not right), -1)
  else
    result = torch.rsub(torch.searchsorted(torch.flip(bins, 1), x, not right), bins:nElement() + 1)
  end
  return whole and tonumber(result:sum()) or result
end

--- Returns x with the k-th smallest element of each slice at position k: none before it is larger, none behind it is smaller. Here the
-- slices are sorted.
-- @tparam torch.Tensor x
-- @int k
-- @int[opt=-1] dim
-- @treturn torch.Tensor
function choosing.partition(x, k, dim)
  check.tensor('partition', 'x', x)
  dim = check.dim('partition', 'dim', x, dim or -1)
  check.int('partition', 'k', k, { min = 1, max = x:size(dim) })
  return (torch.sort(x, dim))
end

--- Returns the positions of the elements of `partition`.
-- @tparam torch.Tensor x
-- @int k
-- @int[opt=-1] dim
-- @treturn torch.LongTensor
function choosing.argpartition(x, k, dim)
  check.tensor('argpartition', 'x', x)
  dim = check.dim('argpartition', 'dim', x, dim or -1)
  check.int('argpartition', 'k', k, { min = 1, max = x:size(dim) })
  return (select(2, torch.sort(x, dim)))
end

--- Returns complex numbers in the order of their real parts, and of their imaginary parts where those are equal.
-- @tparam torch.Tensor z a vector, of numbers or complex ones
-- @treturn torch.Tensor complex
function choosing.sortComplex(z)
  check.tensor('sortComplex', 'z', z)
  if z:dim() ~= 1 then check.raise(('sortComplex: z: %d dimensions, expected a vector'):format(z:dim()), 'shape') end
  z = z:isComplex() and z or torch.complex(z:double(), 0)
  if z:nElement() == 0 then return z:clone() end
  local _, byImaginary = torch.sort(torch.imag(z):contiguous())
  local _, byReal = torch.sort(torch.index(torch.real(z):contiguous(), 1, byImaginary))
  return torch.index(z, 1, byImaginary:index(1, byReal))
end

return choosing
