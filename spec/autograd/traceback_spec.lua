-- Errors on their way through the tape's own code keep the place and the stack where the program raised them.
local program = require 'spec.support.program'

local head = [[
local torch, autograd = require 'torch', require 'autograd'
local function inner(x) return x.field.field end
local function middle() return 1 + inner {} end
local function leaf() return torch.ones(2):requiresGrad() end
]]

local function complaint(text)
  local script = program.script(head .. text)
  local _, status, errors = program.run { script }
  os.remove(script)
  assert.equal(1, status)
  return errors, script:gsub('%p', '%%%0')
end

for where, text in pairs {
  ['torch.noGrad'] = 'torch.noGrad(function() middle(); return 1 end)',
  ['torch.enableGrad'] = 'torch.enableGrad(function() middle(); return 1 end)',
  ['noGrad inside noGrad'] = 'torch.noGrad(function() torch.noGrad(function() middle(); return 1 end); return 1 end)',
  ['a checkpoint'] = 'autograd.checkpoint(function(x) middle() return x end, leaf())',
  ['a checkpoint in backward'] = [[local calls = 0
    local y = autograd.checkpoint(function(x) calls = calls + 1; if calls > 1 then middle() end return x * 2 end, leaf())
    y:sum():backward()]],
  ['a hook'] = 'local y = leaf() * 2; y:registerHook(function() middle() end); y:sum():backward()',
  ['a hook of a leaf'] = 'local x = leaf(); x:registerHook(function() middle() end); (x * 2):sum():backward()',
  ['a hook of a recorded pass'] = [[local y = leaf() * 2; y:registerHook(function() middle() end)
    y:sum():backward(nil, { createGraph = true })]],
  ['a differentiated function'] = 'autograd(function(x) middle() return torch.sum(x) end)(torch.ones(2))',
  ['an autograd.Function'] = [[local function forward(_, x) return x:clone() end
    local f = autograd.Function { forward = forward, backward = function() middle() end }
    f(leaf()):sum():backward()]],
  ['autograd.anomaly'] = 'autograd.anomaly(function() middle(); return 1 end)',
} do
  it('an error in ' .. where .. ' has one place, and the whole stack', function()
    local errors, script = complaint(text)
    assert.matches('^th: ' .. script .. ":2: attempt to index field 'field'", errors)
    assert.matches("in function 'inner'", errors)
    assert.matches("in function 'middle'", errors)
    assert.matches(script .. ':%d+: in main chunk', errors)
    assert.equal(1, select(2, errors:gsub('attempt to index', '')))
    assert.is_nil(errors:find "in function 'error'")
  end)
end

it('an error that looks like a caught one has its own stack', function()
  local errors = complaint [[
local function first() error('the same', 0) end
local function second() error('the same', 0) end
pcall(torch.noGrad, first)
second()]]
  assert.matches("in function 'second'", errors)
  assert.is_nil(errors:find "in function 'first'")
end)

it('an error that is no string is passed on unchanged', function()
  local torch = require 'torch'
  require 'autograd'
  local thing = {}
  local done, caught = pcall(torch.noGrad, function() error(thing) end)
  assert.is_false(done)
  assert.equal(thing, caught)
end)
