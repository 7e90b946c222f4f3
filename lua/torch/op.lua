--- Ops composed of others, declared in Lua: the same registry, calls, help and test sweeps as the engine's own.
-- @module torch.op
local C = require 'libmoontorch'
local asFloats = require 'torch.names.as_floats'

local op = {}
local declared = {}   -- name -> the declaration

local isTensor = C.isTensor

-- An argument that may be a tensor, a list of them or something else, with floats in the place of integers.
local function inFloats(value)
  if isTensor(value) then return asFloats(value) end
  if type(value) ~= 'table' then return value end
  local list = {}
  for i, x in ipairs(value) do list[i] = isTensor(x) and asFloats(x) or x end
  return list
end

-- A forward that gets floats in the place of integer tensors. It is written out for the signature's arguments, as it runs in each call.
local function ofFloats(signature, forward)
  local names, values = {}, {}
  for kinds in signature:gmatch '%w+:(%S+)' do
    local name = 'a' .. #names + 1
    local convert = kinds == 'tensor' and 'asFloats(%s)' or kinds:find '^[^=]*tensor' and 'inFloats(%s)' or '%s'
    names[#names + 1], values[#values + 1] = name, convert:format(name)
  end
  local text = 'local forward, asFloats, inFloats = ... return function(%s) return forward(%s) end'
  return loadstring(text:format(table.concat(names, ', '), table.concat(values, ', ')))(forward, asFloats, inFloats)
end

--- Declares an op: it becomes torch.<name> and, unless `method` is 'none', a method of tensors.
-- The tape follows what its forward calls, so that it needs no derivative of its own.
-- @tparam table declaration with fields
--
-- * name, and signature as in the engine: `"[res] x:tensor dim:dim=last keepdim:boolean=true"`; forms: other orders of arguments
-- * doc: what it does, shapes, errors, source; samples: argument lists in Lua, as text
-- * integers, floats: false where such tensors are refused; differentiable: false where it has no derivative on purpose; ulp: allowed error
-- * result: the dtype of the first result, to which it is converted where forward gives another. 'same' as the tensors that came, where
--   these are alike; 'float' likewise, integers standing for the floats that hold them; 'mask', bytes; 'index', longs; 'custom' (default)
-- * method: 'returns' (default) or 'none'
-- * precision: 'low', 'float32' or 'widest', in which torch.autocast runs it, and then what is inside with autocast off
-- * forward(arguments in the signature's order): returns the results; must not change its arguments. Under 'float' it gets floats in the
--   place of integer tensors, unless `integers = 'kept'` says that it makes floats of them itself
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

--- The declaration of a composed op, or nil.
-- @string name
function op.find(name) return declared[name] end

return op
