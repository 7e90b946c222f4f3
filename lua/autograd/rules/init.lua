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
-- A family whose ops broadcast says `local rules = require('autograd.rules').family { broadcast = true }`: the recorder then folds
-- gradients back to their arguments' sizes. `{ view = true }` is for ops whose result may share memory with their first argument.
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

-- op name -> what its family says of its ops
local traits = {}

--- The table of rules for a family's file, whose ops have something in common.
-- @tparam table common broadcast, view
function rules.family(common)
  return setmetatable({}, {
    __index = rules,
    __newindex = function(_, name, rule) rules[name], traits[name] = rule, common end,
  })
end

--- What the op's family says of it.
function rules.traitsOf(name) return traits[name] or {} end

-- What most programs need comes first.
local families = {
  'arithmetic', 'pointwise', 'elementary', 'matmul', 'reduce', 'view', 'activation', 'softmax', 'loss', 'index', 'rearrange', 'create',
  'where', 'compare', 'mask', 'power', 'rownorm', 'norm', 'pool', 'conv', 'recurrent', 'scan', 'sort', 'random', 'special', 'bits',
  'histogram', 'distance', 'cross', 'linalg', 'resample', 'warp', 'fft',
}
local count = 0      -- of those that were read

-- The rule of an op that a library brought, which declares it (moontorch/extension.h).
local function ofLibrary(name)
  local info = C.opInfo(name)
  if not info or not info.library then return end
  traits[name] = { broadcast = info.broadcast }
  if next(info.gradients) then rules[name] = info.gradients end
  return true
end

-- The families' files are read one by one until an op that is recorded has its rule: programs without gradients read none, others few.
local function readOn(_, name)
  if ofLibrary(name) then return rawget(rules, name) end
  while count < #families and rawget(rules, name) == nil do
    count = count + 1
    require('autograd.rules.' .. families[count])
  end
  return rawget(rules, name)
end

return setmetatable(rules, { __index = readOn })
