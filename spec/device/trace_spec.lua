-- The hook of a Lua state sees every op of a program: calls from Lua, the ops of composed ops, and those of backward passes.
local torch = require 'torch'
local C = require 'libmoontorch'
require 'autograd'

local function traced(f)
  C.traceOps(true)
  local good, message = pcall(f)
  local names = C.traceOps(false)
  assert.is_true(good, message)
  return names
end

describe("a Lua state's hook", function()
  it('sees functions, methods, operators and numbers', function()
    local x = torch.ones(2)
    assert.same({ 'add', 'mul', 'exp', 'exp', 'sum' }, traced(function()
      torch.add(x, x)
      x:mul(2)
      torch.exp(x)
      torch.exp(1)
      x:sum()
    end))
    assert.same({ 'add', 'dot' }, traced(function() return (x + 1) * x end))
  end)

  it('sees what a composed op is made of', function()
    local x = torch.ones(2, 2)
    assert.same({ 'diag', 'sum' }, traced(function() torch.trace(x) end))
  end)

  it('sees the backward pass, and the sums with existing gradients', function()
    local w, x = torch.ones(2, 2):requiresGrad(), torch.ones(2, 2)
    local loss = torch.sum(torch.cmul(torch.mm(x, w), torch.mm(w, x)))
    local seen = ' ' .. table.concat(traced(function() loss:backward() end), ' ') .. ' '
    for _, op in ipairs { 'cmul', 'mm', 'addmm' } do assert.truthy(seen:find(' ' .. op .. ' ', 1, true)) end
    loss = torch.sum(w)
    assert.truthy(table.concat(traced(function() loss:backward() end), ' '):find 'add')      -- onto w.grad
  end)

  it('has seen nothing afterwards', function()
    torch.add(torch.ones(2), 1)
    assert.same({}, C.traceOps(false))
  end)
end)
