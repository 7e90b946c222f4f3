-- Rules that programs declare: an invalid rule is an error when the op is first recorded.
local torch = require 'torch'
require 'autograd'
local rules, variant = require 'autograd.rules', require 'autograd.variant'
local C = require 'libmoontorch'

-- Runs f while an op has another rule.
local function withRule(name, rule, f)
  local before = rules[name]
  rules[name], variant.ops[name] = rule, nil
  local done, message = pcall(f)
  rules[name], variant.ops[name] = before, nil
  return done, message
end

local function leaf(...) return torch.DoubleTensor { ... }:requiresGrad() end

describe('a rule as an expression is refused', function()
  for text, call in pairs {
    ['mul(g, y)'] = 'cmul',           -- a tensor where a number is meant: its first element would be taken
    ['mul(g, size(x))'] = 'cmul',     -- sizes, where a number is meant
    ['cmul(g, size(x))'] = 'cmul',
    ['times(g, y)'] = 'cmul',
    ['transpose(g, x)'] = 'cmul',
  } do
    it(text, function()
      local done, message = withRule(call, { text }, function() return torch[call](leaf(1, 2), torch.DoubleTensor { 3, 4 }) end)
      assert.is_false(done)
      assert.matches('rule: of cmul: %a+: arguments: .*, expected ', message)
    end)
  end

  it('of an op with several results, whose gradients are a list', function()
    local done, message = withRule('max', { 'expand(g, size(x))' }, function() return torch.max(leaf(1, 2), 1) end)
    assert.is_false(done)
    assert.matches('rule: of max: an expression', message)
  end)

  it('but taken where its numbers and tensors fit', function()
    local done, message = withRule('cmul', { 'div(cmul(g, y), 2)' }, function()
      local x = leaf(1, 2)
      torch.cmul(x, torch.DoubleTensor { 3, 4 }):sum():backward()
      assert.same({ 1.5, 2 }, x.grad:totable())
    end)
    assert.is_true(done, message)
  end)
end)

describe('the text of a rule is refused that', function()
  local function declare(arity, text)
    C.declareVariant('cmul', 1, { arity = arity, keepSome = true, keep = { nil, 'value' } }, { text })
  end
  for what, case in pairs {
    ['names an argument that the op does not have'] = { 2, 'exp(z)' },
    ['names an op that does not exist'] = { 2, 'what(g)' },
    ['ends too early'] = { 2, 'exp(g' },
    ['goes on after its end'] = { 2, 'exp(g) g' },
    ['is no tensor'] = { 2, 'size(x)' },
    ['has a result that the op does not have'] = { 2, 'exp(g)[2]' },
    ['is nested without end'] = { 2, ('exp('):rep(1000) },
    ['is of too many arguments'] = { 1000, 'exp(g)' },
  } do
    it(what, function() assert.error_matches(function() declare(unpack(case)) end, 'declareVariant: %a+: .*, expected .*') end)
  end
end)

describe('a function of the backward pass', function()
  local backwardPass = require 'autograd.backward_pass'

  it('raises outside of a pass', function()
    assert.has_error(function() backwardPass({ {} }, { 1 }) end)
    assert.has_error(function() C.nodes().addByRule() end)
  end)
  it('raises in a hook', function()
    local x = leaf(1, 2)
    local y = torch.cmul(x, x)
    y:registerHook(function() backwardPass({ y }, { x }, {}) end)
    assert.has_error(function() torch.exp(y):sum():backward() end)
    torch.cmul(x, x):sum():backward()
    assert.same({ 2, 4 }, x.grad:totable())
  end)
  it('raises for a node that a program wrote into', function()
    for slot = 2, 15 do
      for _, thing in ipairs { 3, 'x', {}, torch.LongTensor { 1 } } do
        local x = leaf(1, 2)
        local y = torch.cmul(x, x)
        torch.getenv(y)[slot] = thing
        pcall(function() torch.exp(y):sum():backward() end)
      end
    end
  end)
  it('raises for a node that is an input of its own', function()
    for _, create in ipairs { false, true } do
      local x = leaf(1, 2)
      local y = torch.cmul(x, x)
      local n = C.node(y)
      for slot = 8, 14 do
        if rawequal(n[slot], C.node(x)) then n[slot] = n end
      end
      assert.error_matches(function() torch.sum(y):backward(nil, { createGraph = create }) end, 'the tape was changed')
    end
  end)
end)

describe('an op of Lua code', function()
  local tape = require 'autograd.tape'
  local total = tape.declare('total', function(xs, factor) return torch.mul(torch.add(xs[1], xs[2]), factor) end, {
    arguments = { 'xs', 'factor' },
    rules.saving('xs, factor', function(g, xs, factor)
      local gradients = {}
      for i = 1, #xs do gradients[i] = torch.mul(torch.cmul(g, torch.cdiv(xs[i], xs[i])), factor) end
      return gradients
    end),
  })
  it('takes lists of tensors, of which each has its gradient and is watched', function()
    local a, b, c = leaf(1, 2), torch.DoubleTensor { 3, 4 }, leaf(5, 6)
    torch.sum(total({ a, b }, 3)):backward()
    assert.same({ 3, 3 }, a.grad:totable())
    local y = torch.sum(total({ a, c }, 2))
    y:backward { retainGraph = true, createGraph = true }
    assert.same({ 5, 5 }, a.grad:totable())
    assert.same({ 2, 2 }, c.grad:totable())
    torch.noGrad(c.fill, c, 7)
    assert.error_matches(function() y:backward() end, "^total: backward: argument 1 'xs' %(element 2%), kept for the gradient, was changed")
  end)
end)
