--- Calls a Lua function for each element, in row-major order.
-- @module torch.index.apply
local C = require 'libmoontorch'
local class = require 'torch.class'
local element = require 'torch.index.element'
local elementLoops = require 'torch.index.element_loops'

local type, error = type, error
local lendElements = C.lendElements

local applied, mapped, mapped2 = elementLoops.of('apply', 1), elementLoops.of('map', 2), elementLoops.of('map2', 3)
local strided = {
  apply = elementLoops.of('apply', 1, true), map = elementLoops.of('map', 2, true), map2 = elementLoops.of('map2', 3, true),
}

local methods = {}

-- ---- tensors ------------------------------------------------------------------------------------------------------------------------

-- Returns a separate handle of x for the call: a finaliser may run wherever Lua allocates, and set x to another storage or resize it.
local function own(x) return C.isTensor(x) and C.detach(x) or x end

-- Checks arguments; errors report the line that called the method.
local function check(name, tracked, f, x, ...)
  if not C.isTensor(x) then error(name .. ': self: ' .. class.type(x) .. ', expected a tensor', 4) end
  for i = 1, select('#', ...) do
    local other = select(i, ...)
    local tensor = C.isTensor(other)
    if not tensor or other:type() ~= x:type() or other:nElement() ~= x:nElement() then
      local actual = tensor and ('%s with %d elements'):format(other:type(), other:nElement()) or class.type(other)
      error(('%s: tensor %d: size mismatch: %s, expected %s with %d elements'):format(name, i, actual, x:type(), x:nElement()), 4)
    end
  end
  for i = 0, select('#', ...) do
    local device = (i == 0 and x or select(i, ...)):device()
    if device ~= 'cpu' then
      local which = i == 0 and 'self' or 'tensor ' .. i
      error(("%s: %s: it is on %s, expected a tensor on cpu; x:to 'cpu' brings it"):format(name, which, device), 4)
    end
  end
  if type(f) ~= 'function' then error(name .. ': function: ' .. class.type(f) .. ', expected a function', 4) end
  if tracked and C.gradMode() then
    error(name .. ': self: a tracked tensor, but the tape cannot follow a Lua function; do it to x:detach() or inside torch.noGrad', 4)
  end
end

-- Returns a tensor of x's elements in row-major order in memory that Lua can read: x itself if possible.
local function dense(x, readable) return readable and x:contiguous() or x:_as 'Double' end

-- Iterates over the rows along the last dimension as at, step, first, last: element i of the tensor, first <= i <= last, is at offset at +
-- i * step from the first element. A contiguous tensor is one row.
local function rows(x)
  local rowCount, n, step, leading = 1, x:nElement(), 1, {}
  if not x:isContiguous() then
    local dims = x:dim()
    n, step = x:size(dims), x:stride(dims)
    rowCount = x:nElement() / n
    for dim = dims - 1, 1, -1 do leading[#leading + 1] = { size = x:size(dim), stride = x:stride(dim) } end
  end
  local row = -1
  return function()
    row = row + 1
    if row == rowCount then return end
    local at, rest = -row * n * step, row
    for _, dim in ipairs(leading) do
      at = at + rest % dim.size * dim.stride
      rest = math.floor(rest / dim.size)
    end
    return at, step, row * n, row * n + n - 1
  end
end

-- Runs f over tensors of any layout and type, row by row of x; raises an error for unsupported arguments.
local function run(name, f, tensors, x, y, z)
  local tracked = C.tracked(x) or C.tracked(y) or C.tracked(z)
  x, y, z = own(x), own(y), own(z)
  check(name, tracked, f, unpack({ x, y, z }, 1, tensors))
  if x:nElement() == 0 then return end
  local readable = element.isNumber[C.dtypeOf(x)] or x:isComplex()
  -- The next call of f sees changes that f makes to x: x's elements are read and written in place, those of the others are read from dense
  -- memory.
  local work = readable and x or x:_as 'Double'
  local lent = { lendElements(true, f, work, y and dense(y, readable), z and dense(z, readable)) }
  local loop = strided[name](lent[1], lent[2], f)
  for at, step, first, last in rows(work) do loop(f, at, step, first, last, unpack(lent, 4, 3 + 4 * tensors)) end
  if rawequal(work, x) then C.bumpVersion(x) else x:copy(work) end
end

--- x = f(x) for each element; if f returns nothing, the element doesn't change.
-- @tparam torch.Tensor x
-- @tparam function f number -> number or nil; of complex tensors, complex numbers
-- @treturn torch.Tensor x
-- @raise if f returns any other value, or x is tracked while the tape records
function methods.apply(x, f)
  local kind, place, last, lent, first, memory, storage = lendElements(false, f, x)
  if not kind then
    run('apply', f, 1, x)
  else
    applied(kind, place, f)(f, last, lent, first, memory, storage)
  end
  return x
end

--- x = f(x, y) for each pair of elements; if f returns nothing, the element doesn't change.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor y the same type and number of elements
-- @tparam function f
-- @treturn torch.Tensor x
-- @raise as for apply
function methods.map(x, y, f)
  local kind, place, last, lent1, first1, memory1, storage1, lent2, first2, memory2, storage2 = lendElements(false, f, x, y)
  if not kind then
    run('map', f, 2, x, y)
  else
    mapped(kind, place, f)(f, last, lent1, first1, memory1, storage1, lent2, first2, memory2, storage2)
  end
  return x
end

--- x = f(x, y, z) for each triple of elements.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor y the same type and number of elements
-- @tparam torch.Tensor z the same
-- @tparam function f
-- @treturn torch.Tensor x
-- @raise as for apply
function methods.map2(x, y, z, f)
  local kind, place, last, lent1, first1, memory1, storage1, lent2, first2, memory2, storage2, lent3, first3, memory3, storage3 =
    lendElements(false, f, x, y, z)
  if not kind then
    run('map2', f, 3, x, y, z)
  else
    mapped2(kind, place, f)(f, last, lent1, first1, memory1, storage1, lent2, first2, memory2, storage2, lent3, first3, memory3, storage3)
  end
  return x
end

return methods
