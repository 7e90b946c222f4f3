--- Composed ops, declared in Lua: they share the registry, calls, help and sweeps with the engine's ops.
-- @module torch.op
local C = require 'libmoontorch'
local asFloats = require 'torch.names.as_floats'

local op = {}
local declared = {}   -- name -> the declaration

local isTensor = C.isTensor

-- Converts an argument that may be a tensor, a list of tensors or another value: tensors of integers to floats.
local function inFloats(value)
  if isTensor(value) then return asFloats(value) end
  if type(value) ~= 'table' then return value end
  local list = {}
  for i, x in ipairs(value) do list[i] = isTensor(x) and asFloats(x) or x end
  return list
end

-- Wraps a forward function that expects floats instead of integer tensors. The wrapper has the signature's arguments spelt out, because it
-- runs in each call.
local function ofFloats(signature, forward)
  local names, values = {}, {}
  for i, param in ipairs(C.paramsOf(signature)) do
    local isOne = param.kind == 'tensor' and not param.optional
    local convert = isOne and 'asFloats(%s)' or (param.tensor or param.tensors) and 'inFloats(%s)' or '%s'
    names[i] = 'a' .. i
    values[i] = convert:format(names[i])
  end
  local text = 'local forward, asFloats, inFloats = ... return function(%s) return forward(%s) end'
  return loadstring(text:format(table.concat(names, ', '), table.concat(values, ', ')))(forward, asFloats, inFloats)
end

--- Declares an op: it becomes torch.<name> and, unless `method` is 'none', a method of tensors.
-- The tape records the ops that forward calls, so that it needs no derivative.
-- @tparam table declaration with fields
--
-- * name, and signature as in the engine: `"[res] x:tensor dim:dim=last keepdim:boolean=true"`; forms: other orders of arguments
-- * doc: what it does, shapes, errors, source; samples: argument lists in Lua, as text
-- * integers, floats: false if such tensors are refused; differentiable: false if it deliberately has no derivative; ulp: allowed error
-- * result: the dtype of the first result, which is converted to it if necessary. 'same' as the tensor arguments if these are alike;
--   'float' likewise, but for integers the float type that integers are converted to; 'mask', bytes; 'index', longs; 'custom' (default)
-- * method: 'returns' (default) or 'none'
-- * precision: 'low', 'float32' or 'widest': torch.autocast converts the arguments to it, and runs forward with autocast off
-- * forward(arguments in the signature's order): returns the results; must not change its arguments. With 'float' it gets floats instead of
--   integer tensors, unless `integers = 'kept'` says that it converts them itself
-- @treturn table the declaration
-- @raise if the name is taken or the signature does not parse
function op.declare(declaration)
  local torch, tensors = require 'torch', require 'torch.tensor'
  local methods, made = {}, declaration
  if declaration.result == 'float' and declaration.integers ~= 'kept' and type(declaration.forward) == 'function' then
    made = setmetatable({ forward = ofFloats(tostring(declaration.signature), declaration.forward) }, { __index = declaration })
  end
  C.declare(made, torch, methods)
  tensors.addMethods(methods)
  declared[declaration.name] = declaration
  return declaration
end

--- Returns the declaration of a composed op, or nil.
-- @string name
function op.find(name) return declared[name] end

return op
