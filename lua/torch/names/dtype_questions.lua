--- NumPy's questions about dtypes: kinds, common and smallest types.
-- @module torch.names.dtype_questions
local C = require 'libmoontorch'
local torch, check = require 'torch', require 'torch.check'
local typeName = require 'torch.class.type_name'

local questions = {}

-- Returns the registry's row of a type, given by a tensor or a name.
local function rowOf(where, argument, given)
  local name = torch.isTensor(given) and given:type() or type(given) == 'string' and typeName(given)
  local own = name and name:match '^torch%.(.*)Tensor$'
  for _, info in ipairs(own and C.dtypes or {}) do
    if info.torch == own then return info end
  end
  check.raise(("%s: %s: %s, expected a tensor or a type such as 'float32'"):format(where, argument, check.describe(given)), 'dtype')
end

local groups = {
  bool = { 'boolean' }, ['signed integer'] = { 'signed integer' }, ['unsigned integer'] = { 'unsigned integer' },
  integral = { 'signed integer', 'unsigned integer' }, ['real floating'] = { 'real' }, ['complex floating'] = { 'complex' },
  numeric = { 'signed integer', 'unsigned integer', 'real', 'complex' },
}

--- Returns whether a type is of a kind.
-- @tparam string|torch.Tensor dtype a type, or a tensor of it
-- @tparam string|{string,...} kind 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex floating',
--   'numeric', or a type; one of a list
-- @treturn boolean
-- @raise for an unknown kind
function questions.isdtype(dtype, kind)
  local info = rowOf('isdtype', 'dtype', dtype)
  for _, each in ipairs(type(kind) == 'table' and kind or { kind }) do
    local list = groups[each]
    if not list and info == rowOf('isdtype', 'kind', each) then return true end
    for _, own in ipairs(list or {}) do
      if own == info.kind then return true end
    end
  end
  return false
end

-- NumPy's abstract types.
local abstract = {
  generic = { 'boolean', 'signed integer', 'unsigned integer', 'real', 'complex' }, number = groups.numeric, integer = groups.integral,
  signedinteger = { 'signed integer' }, unsignedinteger = { 'unsigned integer' }, floating = { 'real' }, inexact = { 'real', 'complex' },
  complexfloating = { 'complex' },
}

--- Returns whether a type is another one, or below an abstract one.
-- @tparam string|torch.Tensor dtype
-- @tparam string|torch.Tensor other a type, or 'number', 'integer', 'signedinteger', 'unsignedinteger', 'floating',
--   'complexfloating', 'inexact', 'generic'
-- @treturn boolean
function questions.issubdtype(dtype, other)
  local info = rowOf('issubdtype', 'dtype', dtype)
  local list = type(other) == 'string' and abstract[other]
  if not list then return info == rowOf('issubdtype', 'other', other) end
  for _, own in ipairs(list) do
    if own == info.kind then return true end
  end
  return false
end

--- Returns the float type that represents the elements of all tensors; of integers alone DoubleTensor.
-- @tparam torch.Tensor ... one or more
-- @treturn string such as 'torch.FloatTensor'
-- @raise for booleans
function questions.commonType(...)
  local result
  for i = 1, select('#', ...) do
    local info = rowOf('commonType', 'tensors', (select(i, ...)))
    if info.kind == 'boolean' then check.raise('commonType: tensors: booleans, expected numbers', 'dtype') end
    local own = info.kind == 'real' and 'torch.' .. info.torch .. 'Tensor' or 'torch.DoubleTensor'
    result = result and torch.promoteTypes(result, own) or own
  end
  return check.that(result, 'commonType: tensors: none, expected one or more') and result
end

--- Returns the smallest type that holds a number: unsigned integers first, then signed ones, then floats.
-- @tparam number|boolean|torch.Tensor value of a tensor its type
-- @treturn string such as 'torch.ByteTensor'
function questions.minScalarType(value)
  if torch.isTensor(value) then return value:type() end
  if type(value) == 'boolean' then return 'torch.BoolTensor' end
  check.number('minScalarType', 'value', value)
  if value ~= value or value % 1 ~= 0 or math.abs(value) >= 2 ^ 64 then
    local most = { { 'Half', 65504 }, { 'Float', 3.4028234663852886e38 } }
    for _, each in ipairs(most) do
      if value ~= value or math.abs(value) == math.huge or math.abs(value) <= each[2] then return ('torch.%sTensor'):format(each[1]) end
    end
    return 'torch.DoubleTensor'
  end
  local names = value >= 0 and { 'Byte', 'UInt16', 'UInt32', 'UInt64' } or { 'Char', 'Short', 'Int', 'Long' }
  for i, name in ipairs(names) do
    local bits = 8 * 2 ^ (i - 1)
    if value >= 0 and value < 2 ^ bits or value < 0 and value >= -2 ^ (bits - 1) then return ('torch.%sTensor'):format(name) end
  end
  return 'torch.DoubleTensor'
end

return questions
