--- Arrays of Python's libraries over the elements of tensors, and tensors over theirs, by capsules of DLPack.
-- @module torch.python.arrays
local ffi = require 'ffi'
local dlpack, interpreter = require 'torch.tensor.dlpack', require 'torch.python.interpreter'

local arrays = {}

-- The class whose object passes a capsule to `from_dlpack` of a library: a versioned one to consumers that say that they know it.
local lender = [[
class Lender:
    def __init__(self, versioned, plain, device):
        self.versioned, self.plain, self.device = versioned, plain, device
    def __dlpack__(self, max_version=None, **options):
        return self.versioned if max_version is not None and max_version[0] >= 1 else self.plain
    def __dlpack_device__(self):
        return self.device

def lend(versioned, plain, kind, number, library):
    import importlib
    return importlib.import_module(library).from_dlpack(Lender(versioned, plain, (kind, number)))

def borrow(array):
    try:
        return array.__dlpack__(max_version=(1, 1))
    except TypeError:
        return array.__dlpack__()
]]

local globals

-- Calls one of the functions above.
local function call(python, where, name, ...)
  if not globals then
    globals = interpreter.run(where, 'dict(__builtins__=__builtins__)', 'eval')
    interpreter.run(where, lender, 'exec', globals)
  end
  local count = select('#', ...)
  local arguments = interpreter.own(where, python.mt_PyTuple_New(count))
  for i = 1, count do
    local value = select(i, ...)
    if type(value) == 'number' then
      value = python.mt_PyLong_FromLongLong(value)
    elseif type(value) == 'string' then
      value = python.mt_PyUnicode_FromStringAndSize(value, #value)
    else
      python.mt_Py_IncRef(value)
    end
    python.mt_PyTuple_SetItem(arguments, i - 1, value)      -- takes the reference
  end
  return interpreter.own(where, python.mt_PyObject_CallObject(python.mt_PyDict_GetItemString(globals, name), arguments))
end

local names = { [true] = 'dltensor_versioned', [false] = 'dltensor' }

-- Returns a capsule of Python, and a function that is called after a consumer may have renamed it: then the structure is no longer ours.
local function capsuleOf(python, where, x, versioned)
  local held = dlpack.toDLPack(x, { versioned = versioned })
  local capsule = interpreter.own(where, python.mt_PyCapsule_New(held:pointer(), names[versioned], nil))
  return capsule, function()
    if ffi.string(python.mt_PyCapsule_GetName(capsule)) ~= names[versioned] then held:release() end
  end
end

--- Makes an array of a library over the elements of a tensor.
-- @param python the library of the interpreter, whose lock the caller has
-- @string where the start of messages
-- @tparam torch.Tensor x
-- @string[opt='numpy'] module 'numpy', 'torch' or another one with a function from_dlpack
-- @return a reference to the array
function arrays.lend(python, where, x, module)
  local versioned, settleVersioned = capsuleOf(python, where, x, true)
  local plain, settlePlain = capsuleOf(python, where, x, false)
  local pointer = ffi.cast('mt_DLManagedTensor *', python.mt_PyCapsule_GetPointer(plain, names[false]))
  local device = pointer.dl_tensor.device
  local good, array = pcall(call, python, where, 'lend', versioned, plain, device.device_type, device.device_id, module or 'numpy')
  settleVersioned()
  settlePlain()
  if not good then error(array, 0) end
  return array
end

--- Makes a tensor over the elements of an array.
-- @param python
-- @string where
-- @param array an object with `__dlpack__`
-- @treturn torch.Tensor
function arrays.borrow(python, where, array)
  local capsule = call(python, where, 'borrow', array)
  local name = python.mt_PyCapsule_GetName(capsule)
  if name == nil then interpreter.raise(where) end
  name = ffi.string(name)
  local kind = name == 'dltensor_versioned' and 'mt_DLManagedTensorVersioned *' or 'mt_DLManagedTensor *'
  local managed = ffi.cast(kind, python.mt_PyCapsule_GetPointer(capsule, name))
  local x = dlpack.fromDLPack(managed)
  python.mt_PyCapsule_SetName(capsule, kind:find 'Versioned' and arrays.usedVersioned or arrays.used)
  return x
end

-- Python keeps pointers to these names.
arrays.used, arrays.usedVersioned = ffi.new('char[?]', 14, 'used_dltensor'), ffi.new('char[?]', 24, 'used_dltensor_versioned')

return arrays
