--- NumPy's dtypes, scalars and arrays in pickles. Elements are read as those of a .npy file.
-- @module torch.file.numpy_pickles
local torch = require 'torch'
local damage = require 'torch.file.damage'
local Memory = require 'torch.file.memory_channel'
local objects = require 'torch.file.python_tables'
local littleEndian = require('torch.file.outside').littleEndian
local npy = require 'torch.file.npy'

local numpy = {}

local function isTuple(x) return type(x) == 'table' and objects.note(x) and objects.note(x).class == 'tuple' end

-- Returns the elements as a tensor, or texts; the state counts the bytes.
local function read(state, dtype, shape, fortran, bytes)
  local descr = type(dtype) == 'table' and objects.note(dtype) and objects.note(dtype).descr
  if not descr then state:fail('a dtype of NumPy', state.shown(dtype)) end
  if not isTuple(shape) or #shape > 32 then state:fail('a shape of at most 32 sizes', state.shown(shape)) end
  if type(bytes) ~= 'string' then state:fail('bytes of an array', state.shown(bytes), true) end
  for _, n in ipairs(shape) do
    if type(n) ~= 'number' or n < 0 or n % 1 ~= 0 or n > 2 ^ 53 then state:fail('sizes from 0 to 2^53', state.shown(n)) end
  end
  state:work(#bytes)
  local sizes = {}
  for i, n in ipairs(shape) do sizes[i] = ('%.0f'):format(n) end
  local header = ("{'descr': '%s', 'fortran_order': %s, 'shape': (%s,), }\n")
    :format(descr, fortran and 'True' or 'False', table.concat(sizes, ','))
  local good, value = pcall(npy.read, Memory.ofString('\147NUMPY\2\0' .. littleEndian(#header, 4) .. header .. bytes))
  if good then return value end
  if damage.is(value) then state:fail(value.expected, value.read, value.isOther) end
  error(value, 0)
end

local function newDtype(state, args)
  local code = args[1]
  if type(code) ~= 'string' or #code > 20 then state:fail('the code of a dtype', state.shown(code)) end
  local dtype = objects.sequence({}, 'numpy.dtype')
  local note = objects.note(dtype)
  note.descr = (code:find '^[<>|=]' and '' or '|') .. code
  -- The state has version and byte order first.
  function note.build(inner, _, value)
    local order = type(value) == 'table' and value[2]
    if type(order) ~= 'string' or not order:find '^[<>|=]$' then inner:fail('the byte order of a dtype', inner.shown(order)) end
    note.descr = order .. note.descr:sub(2)
  end
  return dtype
end

local function newScalar(state, args)
  local value = read(state, args[1], objects.tuple {}, false, args[2])
  if not torch.isTensor(value) then return value end
  return value[1]
end

-- An array is created empty; its state fills it. The tensor must exist before: the state is a later opcode.
local function newArray()
  local array = objects.sequence({}, 'numpy.ndarray')
  objects.note(array).build = function(state, target, value)
    if not isTuple(value) then state:fail('the state of an array', state.shown(value)) end
    state:replaceTop(target, read(state, value[3], value[2], value[4] == true, value[5]))
  end
  return array
end

local function fromBuffer(state, args) return read(state, args[2], args[3], args[4] == 'F', args[1]) end

--- Class or function by its name, without the module's first part: NumPy 2 moved `numpy.core` to `numpy._core`.
numpy.calls = {
  ['numpy.dtype'] = newDtype,
  ['numpy.core.multiarray.scalar'] = newScalar,
  ['numpy.core.multiarray._reconstruct'] = newArray,
  ['numpy.core.numeric._frombuffer'] = fromBuffer,
}

return numpy
