-- The package moses uses nothing of torch. Its functions of tables meet tensors, which are no tables, and modules, which are.
local torch, nn = require 'torch', require 'nn'

-- As moses 1 has them: functions are called with key and value.
local function each(list, f)
  for key, value in pairs(list) do f(key, value) end
end

local function isEmpty(value)
  if type(value) == 'string' then return #value == 0 end
  return type(value) ~= 'table' or next(value) == nil
end

local function clone(value, isShallow)
  if type(value) ~= 'table' then return value end
  local copy = {}
  each(value, function(key, entry) copy[key] = type(entry) == 'table' and not isShallow and clone(entry) or entry end)
  return copy
end

local function map(list, f)
  local mapped = {}
  each(list, function(key, entry)
    local first, second = f(key, entry)
    if second ~= nil then mapped[first] = second else mapped[key] = first end
  end)
  return mapped
end

local function isCallable(value)
  return type(value) == 'function' or type(value) == 'table' and getmetatable(value) ~= nil and getmetatable(value).__call ~= nil
end

describe('functions of tables', function()
  it('keep tensors, and find them empty', function()
    local x = torch.ones(2)
    assert.is_true(isEmpty(x))
    local copy = clone { x = x, list = { 1, x } }
    assert.is_true(rawequal(x, copy.x) and rawequal(x, copy.list[2]))
    assert.same({ a = 2, b = 4 }, map({ a = 1, b = 2 }, function(_, v) return 2 * v end))
    assert.same({ xs = 1 }, map({ x = x }, function(key, v) return key .. 's', v[1] end))
  end)

  it('take a module for a table of its fields', function()
    local net, names = nn.Linear(3, 2), {}
    each(net, function(key) names[key] = true end)
    for _, name in ipairs { 'weight', 'bias', 'gradWeight', 'gradBias', 'output', 'gradInput' } do assert.is_true(names[name]) end
    local fields = clone(net)
    assert.is_nil(getmetatable(fields))
    assert.is_true(rawequal(net.weight, fields.weight))
    torch.setmetatable(fields, 'nn.Linear')
    local x = torch.randn(3)
    assert.same(net:forward(x):totable(), fields:forward(x):totable())
  end)

  it('know modules and classes as what can be called', function()
    assert.is_true(isCallable(nn.Linear))
    assert.is_true(isCallable(nn.Linear(1, 1)))
    assert.is_false(isCallable(torch.ones(1)))
  end)
end)
