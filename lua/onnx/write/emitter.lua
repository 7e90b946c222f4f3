--- Builds the nodes of an ONNX graph. `o.Add(x, 1)` appends a node of the op Add and returns its result; a name with a capital letter is an
-- op of ONNX. Inputs are values, numbers (constants of the dtype of the first value) and false (absent); the last argument may be a table
-- of attributes: numbers are integers, lists of numbers lists of integers, texts texts; others are `{ number = 0.5 }`, `{ dtype = 'bool' }`
-- and `{ graph = emitter }`. A value has a name, a dtype, and, where a step of the graph has it as a result, its sizes.
-- @module onnx.write.emitter
local C, torch = require 'libmoontorch', require 'torch'

local Value = {}
Value.__index = Value

local Emitter = {}
for name, method in pairs(require 'onnx.write.composites') do Emitter[name] = method end

local scope = setmetatable({}, { __mode = 'k' })      -- emitter -> its nodes, initializers, names and the emitter outside

Emitter.__index = function(self, name)
  if Emitter[name] then
    return function(...) return Emitter[name](self, ...) end
  end
  if type(name) == 'string' and name:find '^%u' then
    local function node(...) return Emitter.node(self, name, 1, ...) end
    rawset(self, name, node)
    return node
  end
end

local emitter = {}

--- Returns an emitter.
-- @int opset the version of the operator set
-- @tparam[opt] table outside the emitter of the graph around a body, whose names it may use
-- @treturn table
function emitter.new(opset, outside)
  local self = setmetatable({ opset = opset }, Emitter)
  local names = outside and scope[outside].names or { count = 0, taken = {} }
  scope[self] = { nodes = {}, initializers = {}, names = names, constants = {}, origin = '', outside = outside }
  return self
end

--- Whether something is a value of an emitter.
function emitter.isValue(x) return getmetatable(x) == Value end

--- Returns a value.
-- @string name
-- @string dtype
-- @tparam[opt] table sizes numbers, and false for sizes that may differ
-- @tparam[opt] table sample sizes of one run
function emitter.value(name, dtype, sizes, sample)
  return setmetatable({ name = name, dtype = dtype, sizes = sizes, sample = sample or sizes }, Value)
end

--- The number of elements of fixed sizes.
function emitter.count(sizes)
  local n = 1
  for _, size in ipairs(sizes) do n = n * size end
  return n
end

-- ---- dtypes of results: that of the first value, with these exceptions

local bool, int64 = { 'bool' }, { 'int64' }
local dtypes = {
  Equal = bool, Greater = bool, GreaterOrEqual = bool, Less = bool, LessOrEqual = bool, And = bool, Or = bool, Xor = bool, Not = bool,
  IsNaN = bool, IsInf = bool, Shape = int64, Size = int64, NonZero = int64, ArgMax = int64, ArgMin = int64,
  MatMulInteger = { 'int32' }, TopK = { nil, 'int64' }, MaxPool = { nil, 'int64' },
}
local byInput = { Where = 2, OneHot = 3, If = 2 }      -- the input that has it

local function dtypeOf(op, i, inputs, attributes)
  if attributes.to then return attributes.to.dtype end
  if dtypes[op] and dtypes[op][i] then return dtypes[op][i] end
  local input = inputs[byInput[op] or 1]
  if input and input.dtype then return input.dtype end
  for _, each in ipairs(inputs) do
    if each and each.dtype then return each.dtype end
  end
end

-- ---- nodes

local function attribute(name, value)
  if type(value) == 'number' then return { name = name, integer = value } end
  if type(value) == 'string' then return { name = name, string = value } end
  if value.graph then return { name = name, graph = value.graph } end
  if value.number or value.dtype then return { name = name, number = value.number, dtype = value.dtype } end
  return { name = name, integers = value }
end

local function fresh(self, hint)
  local names = scope[self].names
  repeat
    names.count = names.count + 1
    hint = ('%s_%d'):format(hint:match '^(.-)_?%d*$', names.count)
  until not names.taken[hint]
  names.taken[hint] = true
  return hint
end

--- Appends a node.
-- @string op
-- @int count of results
-- @param ... inputs, and perhaps attributes
-- @return the results
function Emitter:node(op, count, ...)
  local inputs, attributes, n = { ... }, {}, select('#', ...)
  if type(inputs[n]) == 'table' and not emitter.isValue(inputs[n]) then
    attributes, inputs[n], n = inputs[n], nil, n - 1
  end
  local like
  for i = op == 'Where' and 2 or 1, n do like = like or emitter.isValue(inputs[i]) and inputs[i].dtype end
  local names, list = {}, {}
  for i = 1, n do
    if type(inputs[i]) == 'number' then inputs[i] = self.number(inputs[i], like) end
    names[i] = inputs[i] and inputs[i].name or ''
  end
  for name, value in pairs(attributes) do list[#list + 1] = attribute(name, value) end
  table.sort(list, function(a, b) return a.name < b.name end)
  local outputs, results = {}, {}
  for i = 1, count do
    outputs[i] = fresh(self, op)
    results[i] = emitter.value(outputs[i], dtypeOf(op, i, inputs, attributes))
  end
  local nodes = scope[self].nodes
  nodes[#nodes + 1] = { op = op, name = scope[self].origin .. outputs[1], inputs = names, outputs = outputs, attributes = list }
  return unpack(results, 1, count)
end

--- Says which line of the program the next nodes come from, as a part of their names.
function Emitter:from(origin) scope[self].origin = origin == '' and '' or origin .. '/' end

-- ---- constants

--- Appends an initializer for a tensor. Tensors of one element without dimensions have `isScalar`.
function Emitter:constant(tensor, isScalar, hint)
  local dtype = emitter.dtypeOf(tensor)
  local name = fresh(self, hint or 'constant')
  local initializers = scope[self].initializers
  initializers[#initializers + 1] = { name = name, tensor = tensor, isScalar = isScalar or false }
  return emitter.value(name, dtype, isScalar and {} or tensor:size():totable())
end

--- The value with a key, which `make` creates at the first call in this graph or in one around it.
function Emitter:once(key, make)
  local place = scope[self]
  while place do
    if place.constants[key] then return place.constants[key] end
    place = place.outside and scope[place.outside]
  end
  local made = make()
  scope[self].constants[key] = made
  return made
end

--- A number of a dtype, without dimensions.
function Emitter:number(v, dtype)
  return self.once(('%s:%.17g'):format(dtype, v), function()
    return self.constant(torch.DoubleTensor(1):fill(v):to(dtype), true, dtype)
  end)
end

--- A list of whole numbers, of dtype int64.
function Emitter:integers(list)
  return self.once('integers:' .. table.concat(list, ','), function()
    return self.constant(#list == 0 and torch.LongTensor(0) or torch.LongTensor(list), false, 'integers')
  end)
end

--- Converts a value.
function Emitter:cast(x, dtype)
  if x.dtype == dtype then return x end
  if dtype == 'bool' and x.condition then return x.condition end
  local made = self.Cast(x, { to = { dtype = dtype } })
  if x.dtype == 'bool' then made.condition = x end      -- a mask, whose condition may be wanted again
  made.sizes, made.sample = x.sizes, x.sample
  return made
end

--- The tables of the graph, for the file.
function Emitter:graph(inputs, outputs)
  return { nodes = scope[self].nodes, initializers = scope[self].initializers, inputs = inputs, outputs = outputs }
end

--- Reserves a name. Returns false if it is taken.
function Emitter:reserve(name)
  local taken = scope[self].names.taken
  if taken[name] then return false end
  taken[name] = true
  return true
end

--- Returns the declaration of a new input of a body.
function Emitter:input(dtype, sizes) return { name = fresh(self, 'input'), dtype = dtype, sizes = sizes } end

--- Returns declarations of the outputs of a body.
-- @tparam table values results of nodes of the body
function Emitter:outputs(values)
  local list = {}
  for i, value in ipairs(values) do list[i] = { name = value.name, dtype = value.dtype } end
  return list
end

--- Returns a value under a name, as an output of the graph.
function Emitter:output(x, name)
  local nodes = scope[self].nodes
  nodes[#nodes + 1] = { op = 'Identity', name = name, inputs = { x.name }, outputs = { name }, attributes = {} }
end

local names = {}      -- NumPy's, by Torch7's
for _, info in ipairs(C.dtypes) do names[info.torch] = info.name end

--- The name of the dtype of a tensor: 'float32'.
function emitter.dtypeOf(tensor) return names[C.dtypeOf(tensor)] end

return emitter
