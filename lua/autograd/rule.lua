--- autograd.rule: derivatives of ops from libraries, if an expression in the declaration does not suffice.
-- @module autograd.rule
local C = require 'libmoontorch'
local check, class = require 'torch.check', require 'torch.class'
local rules, variant = require 'autograd.rules', require 'autograd.variant'

-- Returns whether a value is part of a rule: an expression, a table with a function and what it saves, or nothing.
local function isPart(part)
  return not part or type(part) == 'string' or
    type(part) == 'table' and type(part.gradient) == 'function' and (type(part.saves) == 'string')
end

local function checkParts(name, rule, info)
  local function refuse(what, actual)
    check.raise(('autograd.rule: %s: %s: %s, expected an expression or a table with `saves`, a text, and a function `gradient`')
      :format(name, what, class.type(actual)))
  end
  if rule.gradient ~= nil then return isPart(rule) or refuse('rule', rule) end
  for i, part in pairs(rule) do
    if type(i) ~= 'number' or not info.arguments[i] then
      check.raise(('autograd.rule: %s: rule: [%s], of %d arguments'):format(name, tostring(i), #info.arguments))
    end
    if not isPart(part) then refuse(('rule[%d]'):format(i), part) end
  end
end

-- Compiles the rule now, so that a rule with unknown names raises its error at the caller's line.
local function try(name, rule, info)
  local good, message = pcall(variant.makeOp, name, rule, info)
  if not good then check.raise('autograd.rule: ' .. tostring(message):gsub('^autograd%.rules: ', '')) end
end

--- Defines the derivative of a library's op, for this Lua state.
-- @string name of an op that torch.loadOps loaded and whose declaration has no gradients
-- @tparam table rule as in `lua/autograd/rules`: for each argument, in the signature's order, false (none), an expression, `'cmul(g, y)'`,
--   or `{saves = 'x, dim, size(y)', gradient = function(g, x, dim, size) ... end}`; or one such table for all arguments, whose function
--   returns their gradients, nil for none. `g` is the gradient of the result, or a list if the op has several results. Saved values live
--   until backward. The function uses ops that return a new result (`torch.cmul(g, y)`), so that it can be differentiated again
-- @raise if there is no such op, if it has a derivative, or if the rule names an argument that the op doesn't have
-- @usage autograd.rule('ema', { { saves = 'alpha, dim', gradient = function(g, alpha, dim)
--   return torch.flip(torch.ema(torch.flip(g, dim), alpha, dim), dim)
-- end } })
return function(name, rule)
  local info = type(name) == 'string' and C.opInfo(name)
  if not info or not info.library then
    check.raise(('autograd.rule: name: %s, expected the name of an op that torch.loadOps brought'):format(
      type(name) == 'string' and name or class.type(name)))
  elseif rules[name] ~= nil then
    check.raise(('autograd.rule: %s: it has a derivative already'):format(name))
  elseif type(rule) ~= 'table' then
    check.raise(('autograd.rule: rule: %s, expected a table'):format(class.type(rule)))
  end
  checkParts(name, rule, info)
  try(name, rule, info)
  rules[name] = rule
  rawset(variant.ops, name, nil)
  variant.declare(name)
end
