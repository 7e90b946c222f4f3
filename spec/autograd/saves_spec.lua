-- Rules declare what they save, by names of the op's arguments, in files with or without names of variables.
local torch = require 'torch'
local autograd = require 'autograd'
local rules, variant = require 'autograd.rules', require 'autograd.variant'
local tape = require 'autograd.tape'
local run = require('spec.support.program').evaluate

local saving = rules.saving

local function leaf(...) return torch.DoubleTensor { ... }:requiresGrad() end

-- An op y = 2 x of two tensors and a number, with that rule.
local function declared(rule)
  rule.arguments = { 'x', 'y', 'factor' }
  return tape.declare('double', function(x) return torch.mul(x, 2) end, rule)
end

describe('what a rule saves', function()
  it('are its parameters, in the order in which they are declared', function()
    local got
    local double = declared { saving('factor, size(y), result, type(x)', function(g, ...)
      got = { ... }
      return g
    end) }
    double(leaf(1, 2), torch.FloatTensor(3, 4), 7):sum():backward()
    assert.equal(7, got[1])
    assert.same({ 3, 4 }, got[2]:totable())
    assert.same({ 2, 4 }, got[3]:totable())
    assert.equal('torch.DoubleTensor', got[4])
  end)

  it('may be all further arguments', function()
    local got
    local double = declared { saving('like(x), ...', function(g, ...)
      got = { ... }
      return g
    end) }
    local y = torch.DoubleTensor { 5 }
    double(leaf(1, 2), y, 7):sum():backward()
    assert.equal(3, #got)
    assert.equal(y, got[2])
    assert.equal(7, got[3])
  end)

  it('differs from function to function of a rule: each gets its own', function()
    local sizes, types, values = nil, nil, nil
    local double = declared {
      saving('size(x), type(x)', function(g, size, kind)
        sizes, types = size:totable(), kind
        return g
      end),
      saving('x', function(g, x)
        values = x:totable()
        return torch.cmul(g, x)
      end),
    }
    local y = leaf(1, 1)
    double(leaf(3, 4), y, 1):sum():backward()
    assert.same({ 2 }, sizes)
    assert.equal('torch.DoubleTensor', types)
    assert.same({ 3, 4 }, values)
    assert.same({ 3, 4 }, y.grad:totable())
  end)

  it('is a tensor if an expression uses both its elements and its size, in recorded passes and others', function()
    local double = declared { 'cmul(reshape(y, size(y)), reshape(g, size(y)))', 'reshape(mul(g, factor), size(y))' }
    for _, recorded in ipairs { false, true } do
      local x, y = leaf(1, 2), leaf(3, 4)
      local found = autograd.grad(double(x, y, 7):sum(), { x, y }, { createGraph = recorded })
      assert.same({ 3, 4 }, found[1]:detach():totable())
      assert.same({ 7, 7 }, found[2]:detach():totable())
    end
  end)

  it('calls the gradient h where the op has an argument g', function()
    local double = tape.declare('double', function(g) return torch.mul(g, 2) end, { arguments = { 'g' }, 'mul(cmul(h, g), 2)' })
    local x = leaf(3, 4)
    double(x):sum():backward()
    assert.same({ 6, 8 }, x.grad:totable())
  end)

  it('is version-checked where it is a tensor, not where it is a size or what others are made like', function()
    local function attempt(names)
      local x = leaf(1, 2)
      local h = torch.mul(x, 1)
      local loss = declared { saving(names, function(g, _) return g end) }(h, 1, 1):sum()
      h:add(1)
      return pcall(loss.backward, loss)
    end
    local done, message = attempt 'x'
    assert.is_false(done)
    assert.matches("double: backward: argument 1 'x', kept for the gradient, was changed in place", message)
    assert.is_true(attempt 'size(x)')
    assert.is_true(attempt 'like(x)')
  end)
end)

describe('a rule that names what the op has not', function()
  local function refused(rule, pattern)
    assert.error_matches(function() declared(rule) end, pattern)
  end
  local function none() end

  it('is refused with the name, the op and its arguments', function()
    local names = "double: '%s', expected an argument of the op %%(x, y, factor%%) or result"
    refused({ saving('x, factr', none) }, names:format 'factr')
    refused({ saving('size(z)', none) }, names:format 'z')
    refused({ 'mul(g, factr)' }, "double: 'mul%(g, factr%)': 'factr', expected an argument of the op %(x, y, factor%)")
  end)
  it('is refused where it has no such result, or asks for what there is not', function()
    refused({ saving('result[2]', none) }, "double: 'result%[2%]', expected result")
    refused({ saving('length(x)', none) }, "double: 'length%(x%)', expected size, type or like")
  end)
  it('is refused where the function takes more or less than it declares', function()
    refused({ saving('x', function(_, _, _) end) }, 'double: a function of the gradient and 1 saved values, which takes 2')
    refused({ saving('x, y', function(_, _) end) }, 'double: a function of the gradient and 2 saved values, which takes 1')
    refused({ function(_, _) end }, 'double: a function of the gradient and 0 saved values, which takes 1')
  end)
  it('is none of our own', function()
    for _, name in ipairs(torch.ops()) do assert.is_not_nil(variant.ops[name]) end
  end)
end)

it('rules work from bytecode without the names of variables', function()
  assert.equal('', run [[
    table.insert(package.loaders, 2, function(name)
      local file = package.searchpath(name, package.path)
      return file and loadstring(string.dump(assert(loadfile(file)), true))
    end)
    local registry, gradients = require 'spec.support.registry', require 'autograd.sweep.gradient'
    local excepted = require('spec.support.exceptions').gradient
    for _, op in ipairs(registry.ops()) do
      op.samples = op.samples and op.samples:match '%b{}'
      for _, message in ipairs(excepted[op.name] and {} or gradients(op)) do
        if not message:find 'no sample with a derivative' then io.write(op.name, ': ', message, '\n') end
      end
    end
  ]])
end)
