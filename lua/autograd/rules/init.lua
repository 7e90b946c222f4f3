--- Derivatives by op name: what a family's file writes down, and what the recorder makes of it.
--
-- A family file (`lua/autograd/rules/<family>.lua`) fills this table:
--
--     local rules = require 'autograd.rules'
--     rules.exp  = function(g, y) return torch.cmul(g, y) end
--     rules.cmul = { function(g, _, _, b) return torch.cmul(g, b) end,      -- gradient of a
--                    function(g, _, a) return torch.cmul(g, a) end }        -- gradient of b
--
-- One function gives the gradients of all arguments, in the signature's order, nil where there is none. A list of functions gives each
-- argument its own, and only those run (and keep tensors) whose argument is tracked: prefer it for ops of two tensors. A function
-- that can save work asks `C.tracked(x)` of an argument that it keeps. An argument that is a list of tensors gets a list of gradients.
--
-- Parameters are `g` (the result's gradient), `y` (the result), then the op's arguments in the signature's order. With several results
-- `g` and `y` are lists, and g[i] may be nil. **What a rule names is what the tape keeps alive and version-checks until backward**:
-- a parameter whose name begins with `_`, and one that is left out, keeps nothing; a name that ends in `Size` gets the argument's size()
-- instead of the argument, one that ends in `Type` its type().
--
-- Rules use out-of-place ops (`torch.cmul(g, y)`, never `g:cmul(y)`), so that they can be differentiated again, never return `g`
-- changed or an argument itself, and leave broadcasting to the recorder, which folds a gradient back to its argument's size.
-- @module autograd.rules
local C = require 'libmoontorch'

local rules = {}

--- For an op whose result doesn't change wherever it is differentiable: no gradient reaches its arguments.
-- (Torch7's op `zero` is one of them, so the names don't clash.)
rules.zero = { kind = 'zero' }

--- For an op whose result is a constant to the tape, on purpose: it is not tracked.
-- @tparam string reason shown by the registry sweep
function rules.none(reason) return { kind = 'none', reason = reason } end

local loaded = {}

-- A family's file is read when the first of its ops is recorded.
local function loadFamily(_, name)
  local info = C.opInfo(name)
  local family = info and info.family
  if not family or loaded[family] then return nil end
  loaded[family] = true
  local path = 'autograd.rules.' .. family
  if package.searchpath(path, package.path) then require(path) end
  return rawget(rules, name)
end

return setmetatable(rules, { __index = loadFamily })
