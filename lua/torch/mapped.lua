--- Functions of numbers that take tensors, too, in the interface of Torch7's packages cephes and randomkit: f([result,] parameters...).
-- With numbers alone the result is a number. Tensors, of any type and sizes, give a new one of one dimension with as many elements; numbers
-- and tensors of one element are repeated. A contiguous tensor in front of the parameters is filled and returned.
-- @module torch.mapped
local torch = require 'torch'
local check = require 'torch.check'

local isTensor = torch.isTensor

local function count(where, name, parameters, names)
  local most
  for i = 1, #names do
    local x = parameters[i]
    if x == nil then check.raise(('Bad %s call - argument %d is nil when calling function %s!'):format(where, i, name)) end
    if isTensor(x) then
      local own = x:nElement()
      if most and own ~= most and own ~= 1 and most ~= 1 then
        check.raise(("%s.%s: Incoherent sizes for parameters: %d and %d elements"):format(where, name, most, own), 'shape')
      end
      most = most and math.max(most, own) or own
    elseif type(x) ~= 'number' then
      check.raise(('%s.%s: %s: a %s, expected a number or a tensor'):format(where, name, names[i], torch.type(x)))
    end
  end
  return most
end

-- The parameters as DoubleTensors of the result's number of elements.
local function vectors(parameters, n, size)
  local list = {}
  for i = 1, n do
    local x = parameters[i]
    list[i] = isTensor(x) and x:double():contiguous():view(-1) or torch.DoubleTensor { x }
    if list[i]:nElement() ~= size then list[i] = list[i]:expand(size):contiguous() end
  end
  return list
end

-- Functions of whole tensors.
local function whole(f)
  return function(result, parameters, n, size)
    result:view(-1):copy(f(unpack(vectors(parameters, n, size), 1, n)))
    return result
  end
end

-- Loops for each number of parameters, which LuaJIT compiles.
local loops = {
  [0] = function(f, y, size) for i = 0, size - 1 do y[i] = f() end end,
  function(f, y, size, a) for i = 0, size - 1 do y[i] = f(a[i]) end end,
  function(f, y, size, a, b) for i = 0, size - 1 do y[i] = f(a[i], b[i]) end end,
  function(f, y, size, a, b, c) for i = 0, size - 1 do y[i] = f(a[i], b[i], c[i]) end end,
  function(f, y, size, a, b, c, d) for i = 0, size - 1 do y[i] = f(a[i], b[i], c[i], d[i]) end end,
}

-- Functions of numbers.
local function store(f)
  return function(result, parameters, n, size)
    local sources, pointers = vectors(parameters, n, size), {}
    for i = 1, n do
      sources[i] = sources[i]:to 'cpu'
      pointers[i] = sources[i]:data()
    end
    local values = torch.DoubleTensor(size):to 'cpu'
    loops[n](f, values:data(), size, unpack(pointers, 1, n))
    result:view(-1):copy(values)
    return result
  end
end

--- Makes such a function.
-- @string where the package's name, for messages
-- @string name
-- @tparam {string,...} names of the parameters, up to four
-- @tparam function f of as many numbers, to a number
-- @tparam[opt='torch.DoubleTensor'] string kind type of new results
-- @bool[opt] takesTensors f is a function of DoubleTensors instead
-- @treturn function
return function(where, name, names, f, kind, takesTensors)
  local n = #names
  local fill = (takesTensors and whole or store)(f)
  return function(...)
    local given, parameters, result = select('#', ...), { ... }, nil
    if given == n + 1 then
      result = table.remove(parameters, 1)
      if not isTensor(result) then check.raise(('%s.%s: result: a %s, expected a tensor'):format(where, name, torch.type(result))) end
      if not result:isContiguous() then check.raise(('%s.%s: result: not contiguous, expected a contiguous tensor'):format(where, name)) end
    elseif given ~= n then
      check.raise(('%s.%s: CHKPARAMS: need %d arguments and optionally, one result tensor, instead got %d arguments'):format(where, name, n,
        given))
    end
    local size = count(where, name, parameters, names)
    if not size and not result then
      if not takesTensors then return f(unpack(parameters, 1, n)) end
      return fill(torch.DoubleTensor(1), parameters, n, 1)[1]
    end
    if result and size and size ~= 1 and size ~= result:nElement() then
      check.raise(('%s.%s: Parameter size (%d) does not match result size (%d)'):format(where, name, size, result:nElement()), 'shape')
    end
    result = result or torch.Tensor():type(kind or 'torch.DoubleTensor'):resize(size)
    if result:nElement() == 0 then return result end
    return check.call(fill, result, parameters, n, result:nElement())
  end
end
