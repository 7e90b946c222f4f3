--- PyTorch's questions about dtypes, and its names of the state: default type, threads, random numbers.
-- @module torch.names.type_rules
local C, torch = require 'libmoontorch', require 'torch'
local check = require 'torch.check'
local typeName = require 'torch.class.type_name'
local types = require 'torch.devices.types'

local rules = {}

local function named(where, argument, name)
  local whole = type(name) == 'string' and typeName(name)
  if not whole then
    check.raise(("%s: %s: %s, expected the name of a type, such as 'float'"):format(where, argument, tostring(name)))
  end
  return whole
end

-- An empty tensor of a type.
local function ofType(whole) return torch[whole:match '^torch%.(.*)$']() end

--- Returns the type of results of two types: the one that holds both.
-- @string first such as 'int'
-- @string second
-- @treturn string such as 'torch.FloatTensor'
function rules.promoteTypes(first, second)
  local a, b = ofType(named('promoteTypes', 'first', first)), ofType(named('promoteTypes', 'second', second))
  return torch.cat(a:resize(1), b:resize(1)):type()
end

--- Returns the type of the result of an elementwise op with these arguments, such as torch.add.
-- @tparam torch.Tensor|number x
-- @tparam torch.Tensor|number y
-- @treturn string such as 'torch.FloatTensor'
function rules.resultType(x, y)
  local isX, isY = torch.isTensor(x), torch.isTensor(y)
  if not isX then check.number('resultType', 'x', x) end
  if not isY then check.number('resultType', 'y', y) end
  if not isX and not isY then return torch.getdefaulttensortype() end
  if isX and isY then return torch.add(x.new(), y.new()):type() end
  return torch.add((isX and x or y).new(), 1):type()
end

-- By the kinds of the dtypes' numbers.
local order = { boolean = 1, ['unsigned integer'] = 2, ['signed integer'] = 2, real = 3 }
local function kindOf(x) return C.dtypes[types.position(C.dtypeOf(x))].kind end

--- Returns whether a conversion between two types keeps the kind of number: no floats to integers, no numbers to booleans.
-- @string from such as 'float'
-- @string to
-- @treturn boolean
function rules.canCast(from, to)
  local a, b = ofType(named('canCast', 'from', from)), ofType(named('canCast', 'to', to))
  return order[kindOf(a)] <= order[kindOf(b)]
end

--- Returns whether the elements of a tensor are floats.
-- @tparam torch.Tensor x
-- @treturn boolean
function rules.isFloatingPoint(x) return check.tensor('isFloatingPoint', 'x', x):isFloatingPoint() end

--- Returns whether the dtype of a tensor has negative numbers.
-- @tparam torch.Tensor x
-- @treturn boolean
function rules.isSigned(x)
  local kind = kindOf(check.tensor('isSigned', 'x', x))
  return kind ~= 'unsigned integer' and kind ~= 'boolean'
end

--- Returns whether the element of a tensor with one is other than 0.
-- @tparam torch.Tensor x
-- @treturn boolean
-- @raise if x has another number of elements
function rules.isNonzero(x)
  check.tensor('isNonzero', 'x', x)
  if x:nElement() ~= 1 then check.raise(('isNonzero: x: %d elements, expected one'):format(x:nElement()), 'shape') end
  return x:item() ~= 0
end

--- Returns a tensor with the same elements in the same memory that is not on the tape.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
function rules.detach(x) return C.detach(check.tensor('detach', 'x', x)) end

--- Returns x itself.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
function rules.positive(x) return check.tensor('positive', 'x', x) end

--- Returns whether ops on tracked tensors are recorded: false in torch.noGrad.
-- @treturn boolean
function rules.isGradEnabled() return C.gradMode() end

--- Returns the name of the default type, such as 'torch.DoubleTensor': getdefaulttensortype.
-- @treturn string
function rules.getDefaultDtype() return torch.getdefaulttensortype() end

--- Sets the default type: setdefaulttensortype.
-- @string name such as 'float' or torch.float32
function rules.setDefaultDtype(name) return check.call(torch.setdefaulttensortype, name) end
rules.setDefaultTensorType = rules.setDefaultDtype

--- Returns the number of threads: getnumthreads.
-- @treturn int
function rules.getNumThreads() return torch.getnumthreads() end

--- Sets the number of threads: setnumthreads.
-- @int n
function rules.setNumThreads(n) return torch.setnumthreads(check.int('setNumThreads', 'n', n, { min = 1 })) end

--- Returns the state of the generator of random numbers: getRNGState.
-- @treturn torch.ByteTensor
function rules.getRngState() return torch.getRNGState() end

--- Sets the state of the generator of random numbers: setRNGState.
-- @tparam torch.ByteTensor state
function rules.setRngState(state) return check.call(torch.setRNGState, check.tensor('setRngState', 'state', state)) end

return rules
