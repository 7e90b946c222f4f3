--- Derivatives by op name: the families' files define them, the recorder compiles them.
--
-- A family file (`lua/autograd/rules/<family>.lua`) fills this table:
--
--     local rules = require 'autograd.rules'
--     rules.exp  = { 'cmul(g, result)' }
--     rules.cmul = { 'cmul(g, y)', 'cmul(g, x)' }             -- gradients of x and of y
--     rules.mean = { saving('size(x)', function(g, size) return spread(torch.mul(g, g:nElement() / elements(size)), size) end) }
--
-- A list has a rule for each argument; only the rules of tracked arguments run and save tensors. A rule is an expression (see
-- autograd.expression), which a plain backward runs without Lua, or else a function. A single function instead of a list returns the
-- gradients of all arguments, in the signature's order, nil for none; to save work it calls `C.tracked(x)` on an argument that it saves. An
-- argument that is a list of tensors gets a list of gradients.
--
-- The parameters of a function are the result's gradient, then the declared saved values in order:
-- `saving('x, dim', function(g, x, dim) ... end)` (see autograd.saves). With several results `g` is a list, and g[i] may be nil. **The tape
-- keeps alive and version-checks every tensor that a rule names until backward**, except for sizes, types, and `like(x)`. A function
-- without `saving` saves nothing.
--
-- Rules use out-of-place ops (`torch.cmul(g, y)`, never `g:cmul(y)`), so that they can be differentiated again. They never modify `g`, and
-- never return an argument itself.
--
-- Complex numbers: a rule is written as for real ones. Where a saved value is complex, the tape passes the conjugate of the gradient, and
-- conjugates what the rule returns: that is the gradient, by PyTorch's convention of conjugate Wirtinger derivatives, of each function with
-- a complex derivative. Rules of other functions (abs, angle, sgn) return the conjugate of their gradient. Without a complex saved value a
-- rule is a sum with real factors, and the same in both forms.
--
-- For ops whose declaration says that they broadcast, the recorder folds gradients back to the sizes and types of the arguments.
-- @module autograd.rules

local torch, C = require 'torch', require 'libmoontorch'
local sameSizes = C.sameSizes

local rules = {}

--- For an op whose result is constant wherever it is differentiable: its arguments get no gradient.
-- (Torch7's op `zero` is one of them, so the names don't clash.)
rules.zero = { kind = 'zero' }

--- For an op whose result is deliberately a constant to the tape: it is not tracked.
-- @tparam string reason shown by the registry sweep
function rules.none(reason) return { kind = 'none', reason = reason } end

--- For an op that could have a derivative but deliberately has none: a backward pass that reaches it raises an error.
-- @tparam string reason for the message
function rules.refuse(reason) return { kind = 'refuse', reason = reason } end

--- Combines a function with what it saves, as a rule.
-- @tparam string names as in autograd.saves
-- @tparam function gradient its parameters are the result's gradient, then the saved values
function rules.saving(names, gradient) return { saves = names, gradient = gradient } end

--- Returns a gradient in the size of its argument: elements correspond by their order, for any sizes.
-- @tparam ?torch.Tensor gradient
-- @tparam ?torch.Tensor argument
-- @treturn ?torch.Tensor nil if one of them is nil
function rules.inSizeOf(gradient, argument)
  if not gradient or not argument then return nil end
  return sameSizes(gradient, argument) and gradient or torch.reshape(gradient, argument:size())
end

--- By op: a rule as expressions, for ops whose main rule is a function. It applies if only the first result has a gradient and nothing is
-- recorded. The formulas of modules are derived with these rules.
rules.plain = {}

-- Loads the rules of an op at their first use: those of a library's op from its declaration (moontorch/extension.h), those of the engine's
-- ops from the file of their family.
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
