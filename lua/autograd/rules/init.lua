--- Derivatives by op name: what a family's file writes down, and what the recorder makes of it.
--
-- A family file (`lua/autograd/rules/<family>.lua`) fills this table:
--
--     local rules = require 'autograd.rules'
--     rules.exp  = { 'cmul(g, result)' }
--     rules.cmul = { 'cmul(g, y)', 'cmul(g, x)' }             -- gradients of x and of y
--     rules.mean = { saving('size(x)', function(g, size) return spread(torch.mul(g, g:nElement() / elements(size)), size) end) }
--
-- A list has a rule for each argument, of which only those run (and save tensors) whose argument is tracked. A rule is an expression (see
-- autograd.expression), which a plain backward runs without a step in Lua, or a function where it takes more. One function in place of a
-- list gives the gradients of all arguments, in the signature's order, nil where there is none; to save work it asks `C.tracked(x)` of an
-- argument that it saves. An argument that is a list of tensors gets a list of gradients.
--
-- A function gets the result's gradient, and what it is declared to save, in that order: `saving('x, dim', function(g, x, dim) ... end)`
-- (see autograd.saves); with several results `g` is a list, and g[i] may be nil. **What a rule names is what the tape keeps alive and
-- version-checks until backward**, but for sizes, types, and what is `like(x)`. A function alone saves nothing.
--
-- Rules use out-of-place ops (`torch.cmul(g, y)`, never `g:cmul(y)`), so that they can be differentiated again, never return `g`
-- changed or an argument itself.
--
-- Of ops that broadcast, by their declaration, the recorder folds gradients back to their arguments' sizes and types.
-- @module autograd.rules

local torch, C = require 'torch', require 'libmoontorch'
local sameSizes = C.sameSizes

local rules = {}

--- For an op whose result doesn't change wherever it is differentiable: no gradient reaches its arguments.
-- (Torch7's op `zero` is one of them, so the names don't clash.)
rules.zero = { kind = 'zero' }

--- For an op whose result is a constant to the tape, on purpose: it is not tracked.
-- @tparam string reason shown by the registry sweep
function rules.none(reason) return { kind = 'none', reason = reason } end

--- For an op that could have a derivative and has none, on purpose: a backward that reaches it is an error.
-- @tparam string reason for the message
function rules.refuse(reason) return { kind = 'refuse', reason = reason } end

--- A function of a rule and what it saves.
-- @tparam string names as autograd.saves has them
-- @tparam function gradient of the result's gradient, and of what is saved
function rules.saving(names, gradient) return { saves = names, gradient = gradient } end

--- A gradient in the size of the argument that it belongs to: elements are paired whatever the sizes are.
-- @tparam ?torch.Tensor gradient
-- @tparam ?torch.Tensor argument
-- @treturn ?torch.Tensor nil where one of them is
function rules.inSizeOf(gradient, argument)
  if not gradient or not argument then return nil end
  return sameSizes(gradient, argument) and gradient or torch.reshape(gradient, argument:size())
end

--- Rules as expressions, by op, of ops whose own rule is a function: they hold where the first result alone has a gradient, and nothing is
-- recorded. Formulas of modules are derived by them.
rules.plain = {}

-- The rules of an op are read when it is first asked for: a library's are in its declaration (moontorch/extension.h), those of the engine's
-- ops in their family's file.
local function read(_, name)
  local info = C.opInfo(name)
  if not info then return nil end
  if info.library then
    if next(info.gradients) then
      rules[name] = info.gradients
    elseif info.sharing == 'view' and info.differentiable then
      rules[name] = require 'autograd.rules.library_view'(info)
    end
  elseif info.family ~= '' then
    require('autograd.rules.' .. info.family)
  end
  return rawget(rules, name)
end

return setmetatable(rules, { __index = read })
