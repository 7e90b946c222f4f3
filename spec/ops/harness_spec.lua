-- The sweeps themselves: each finds the op that is wrong in its way, and nothing in the op that is right.
local torch = require 'torch'
local autograd = require 'autograd'
local lift = require('torch.sweep.elementwise').lift

-- x + x^2 as an op; `changes` introduces faults.
local function right(x)
  return torch.add(x, torch.cmul(x, x))
end

local function isTensor(x, name)
  if not torch.isTensor(x) then error('twist: ' .. name .. ': ' .. type(x) .. ', expected a tensor', 0) end
  if x:type() ~= 'torch.DoubleTensor' then error('twist: ' .. name .. ': ' .. x:type() .. ', expected torch.DoubleTensor', 0) end
end

local function call(...)
  local res, x = ...
  if select('#', ...) == 1 then res, x = nil, res end
  if select('#', ...) > 2 or select('#', ...) == 0 then error('twist: arguments: expected one tensor', 0) end
  isTensor(x, 'x')
  local y = right(x)
  if res == nil then return y end
  if not torch.isTensor(res) or res:type() ~= y:type() then error('twist: res: ' .. torch.type(res), 0) end
  return res:resizeAs(y):copy(y)
end

local function op(changes)
  local made = {
    name = 'twist', call = call, samples = '{randn(3, 4)}, {randn(5)}, {randn(0)}', composed = true, elementwise = true,
    reference = lift(function(x) return x + x * x end, { terms = true }),
    info = {
      name = 'twist', result = 'same', results = 1, ulp = 4, method = 'none', differentiable = true, integers = false, floats = true,
      params = { { name = 'x', tensor = true, optional = false } },
    },
  }
  for key, value in pairs(changes or {}) do made[key] = value end
  return made
end

-- A call whose result is replaced by f(y, x).
local function changed(f)
  return function(...)
    local y = call(...)
    local x = select(select('#', ...), ...)
    return f(y, x) or y
  end
end

local function findings(name, made)
  local sweep = require('torch.sweep.sweeps').find(name)
  made.info = setmetatable({}, { __index = made.info })
  return sweep(made)
end

local function only(kinds, made)
  made.info.floats, made.types = true, kinds
  return made
end

local doubles = { 'torch.DoubleTensor' }

local function finds(name, pattern, made)
  local wrong = findings(name, only(doubles, made))
  assert.is_true(#wrong > 0, name .. ' finds nothing wrong')
  assert.truthy(table.concat(wrong, '\n'):find(pattern), table.concat(wrong, '\n'))
end

describe('a right op', function()
  for _, name in ipairs { 'forward', 'layout', 'result', 'traits', 'errors', 'gradient', 'memory' } do
    it('passes the sweep ' .. name, function() assert.same({}, findings(name, only(doubles, op()))) end)
  end
end)

describe('the forward sweep finds', function()
  it('an op without a reference', function()
    local made = op()
    made.reference = nil
    finds('forward', 'twist has no reference', made)
  end)
  it('an op without samples', function() finds('forward', 'twist has no samples', op { samples = '' }) end)
  it('a value that is off by some rounding errors', function()
    finds('forward', ', expected .*', op { call = changed(function(y) return y:mul(1 + 1e-13) end) })
  end)
  it('a NaN', function() finds('forward', 'nan', op { call = changed(function(y) return y:fill(0 / 0) end) }) end)
  it('a result of another size', function()
    finds('forward', 'sizes', op { call = changed(function(y) return y:dim() > 1 and y:t() or y end) })
  end)
end)

describe('the layout sweep finds', function()
  it('a tail that is off by one', function()
    finds('layout', 'sizes 259', op { call = changed(function(y)
      if y:nElement() > 100 then y:view(y:nElement()):narrow(1, y:nElement(), 1):fill(0) end
    end) })
  end)
  it('strides that are not followed', function()
    finds('layout', 'transposed', op { call = changed(function(_, x)
      return not x:isContiguous() and right(x:clone():set(x:storage(), 1, x:size())) or nil
    end) })
  end)
end)

describe('the result sweep finds', function()
  it('a result that is not written', function()
    finds('result', 'result 1', op { call = function(...)
      local y = call(select(select('#', ...), ...))
      return select('#', ...) > 1 and (...):resizeAs(y) or y
    end })
  end)
  it('a result that is not returned', function()
    finds('result', 'not the tensor that was given', op { call = changed(function(y) return y:clone() end) })
  end)
  it('writing outside of the result', function()
    finds('result', 'memory around', op { call = changed(function(y)
      local storage = y:storage()
      if storage and storage:size() > y:nElement() then storage[y:storageOffset() + y:nElement()] = 0 end
    end) })
  end)
  it('a result that is written while its argument is still read', function()
    finds('result', 'overlaps', op { call = function(...)
      if select('#', ...) == 1 then return call(...) end
      local res, x = ...
      res:resizeAs(x)
      local from, to = x:view(x:nElement()), res:view(res:nElement())
      for i = 1, x:nElement() do to[i] = from[i] + from[i] ^ 2 end
      return res
    end, samples = '{randn(3, 4)}' })
  end)
  it('an argument that changes', function()
    finds('result', 'another argument changed', op { call = changed(function(_, x) x:fill(1) end), samples = '{randn(3, 4)}' })
  end)
end)

describe('the dtype sweep finds', function()
  it('a result of the wrong dtype', function()
    finds('dtype', 'torch.FloatTensor, expected torch.DoubleTensor', op { call = changed(function(y) return y:float() end) })
  end)
  it('a dtype that is taken and should not be', function()
    finds('dtype', 'taken', op { call = function(x) return x end })
  end)
  it('a refusal that does not name the dtype', function()
    finds('dtype', 'without its dtype', op { call = function() error('twist: x: no', 0) end })
  end)
end)

describe('the traits sweep finds', function()
  local function declared(traits, made)
    made.composed = nil
    for trait, value in pairs { sharing = 'none', extent = 'any' } do made.info[trait] = traits[trait] or value end
    return made
  end
  it('a view that is declared none', function()
    finds('traits', 'has the memory of the first argument', declared({}, op { call = function(x) return x:view(x:size()) end }))
  end)
  it('a copy that is declared a view', function()
    finds('traits', 'is declared a view', declared({ sharing = 'view' }, op()))
  end)
  it('sizes that are not those of the argument', function()
    finds('traits', 'sizes 5 x 1, expected 5 as declared', declared({ extent = 'same' }, op { call = function(x)
      return torch.unsqueeze(x:clone(), x:dim() + 1)
    end }))
  end)
  it('results of different sizes', function()
    finds('traits', 'result 2 has sizes', declared({ extent = 'alike' }, op { call = function(x) return x:clone(), torch.ones(9) end }))
  end)
end)

describe('the errors sweep finds', function()
  it('bad input that is accepted', function() finds('errors', 'no error was raised', op { call = function() return 1 end }) end)
  it('a message in another form', function()
    finds('errors', 'another form', op { call = function(x) if not torch.isTensor(x) then error 'oops' end return call(x) end })
  end)
  it('an argument that changed before the error', function()
    finds('errors', 'changed', op { call = function(x, ...)
      if torch.isTensor(x) and x:nElement() > 0 then x:fill(77) end
      return call(x, ...)
    end })
  end)
end)

describe('the gradient sweep finds', function()
  it('a wrong derivative', function()
    local square = autograd.Function { forward = function(ctx, x)
      ctx:save(x)
      return right(x)
    end, backward = function(ctx, g)
      local x = ctx:saved()
      return torch.cmul(g, x)
    end }
    finds('gradient', 'the tape has', op { call = function(x) return square(x) end })
  end)
  it('an op without a rule', function()
    local made = op()
    made.composed = nil
    finds('gradient', 'twist has no rule', made)
  end)
end)

describe('the memory sweep finds', function()
  it('a leak', function()
    local kept = {}
    finds('memory', 'left %d+ bytes in use', op { call = changed(function(y) kept[#kept + 1] = y:clone() end) })
  end)
  it('an argument that changed when memory ran out', function()
    finds('memory', 'allocation', op { call = function(...)
      local x = select(select('#', ...), ...)
      x:add(1)
      local y = call(...)
      x:csub(1)
      return y
    end })
  end)
end)
