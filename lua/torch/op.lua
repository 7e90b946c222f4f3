--- Ops composed of others, declared in Lua: the same registry, calls, help and test sweeps as the engine's own.
-- @module torch.op
local C = require 'libmoontorch'

local op = {}
local declared = {}   -- name -> the declaration

--- Declares an op: it becomes torch.<name> and, unless `method` is 'none', a method of tensors.
-- The tape follows what its forward calls, so that it needs no derivative of its own.
-- @tparam table declaration with fields
--
-- * name, and signature as in the engine: `"[res] x:tensor dim:dim=last keepdim:boolean=true"`; forms: other orders of arguments
-- * doc: what it does, shapes, errors, source; samples: argument lists in Lua, as text
-- * integers, floats: false where such tensors are refused; differentiable: false where it has no derivative on purpose; ulp: allowed error
-- * result: 'same', 'float', 'mask', 'index' or 'custom'; method: 'returns' (default) or 'none'
-- * forward(arguments in the signature's order): returns the results; must not change its arguments
-- @treturn table the declaration
-- @raise if the name is taken or the signature does not parse
function op.declare(declaration)
  local torch, tensors = require 'torch', require 'torch.tensor'
  local methods = {}
  C.declare(declaration, torch, methods)
  tensors.addMethods(methods)
  declared[declaration.name] = declaration
  return declaration
end

--- The declaration of a composed op, or nil.
-- @string name
function op.find(name) return declared[name] end

return op
