--- Python in the same process: NumPy, PyTorch and others compute with the elements of tensors, without copies. The interpreter is that of
-- the program `python3`, or of the one that MOONTORCH_PYTHON names, with its modules; it starts at the first call. Code of Python may do
-- anything that the program itself may do.
-- @module torch.python
-- @usage torch.python.set('x', torch.range(1, 4))
-- torch.python.run 'import numpy as np; y = np.cumsum(x)'
-- print(torch.python.eval 'y')
local ffi = require 'ffi'
local C = require 'libmoontorch'
local check = require 'torch.check'
local arrays, interpreter = require 'torch.python.arrays', require 'torch.python.interpreter'

local python = {}

-- Says what an object is for Lua.
local question = [[
def describe(value):
    if value is None or isinstance(value, bool):
        return type(value).__name__, value
    if isinstance(value, int):
        return ("number", float(value)) if abs(value) <= 2**53 else ("int", value)
    if isinstance(value, (float, complex)):
        return "number" if isinstance(value, float) else "complex", value
    if isinstance(value, (str, bytes)):
        return "string", value.encode() if isinstance(value, str) else value
    if hasattr(value, "__dlpack__"):
        return "array", value
    if isinstance(value, (list, tuple)):
        return "list", tuple(value)
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        return describe(value.item())
    raise TypeError(f"{type(value).__name__}, expected None, a boolean, number, string or array, or a list of these")
]]

local readers, describing
local none, most = {}, 100      -- levels of lists

local function read(library, where, object, depth)
  local arguments = interpreter.own(where, library.mt_PyTuple_New(1))
  library.mt_Py_IncRef(object)
  library.mt_PyTuple_SetItem(arguments, 0, object)
  local described = interpreter.own(where, library.mt_PyObject_CallObject(library.mt_PyDict_GetItemString(describing, 'describe'),
    arguments))
  local kind = interpreter.text(library.mt_PyTuple_GetItem(described, 0))
  return readers[kind](library, where, library.mt_PyTuple_GetItem(described, 1), depth)
end

readers = {
  NoneType = function() return none end,
  bool = function(_, _, object) return interpreter.text(object) == 'True' end,
  number = function(library, _, object) return library.mt_PyFloat_AsDouble(object) end,
  int = function(library, where, object)
    local value = library.mt_PyLong_AsLongLong(object)
    if value == -1 then interpreter.raise(where) end
    return ffi.cast('int64_t', value)
  end,
  complex = function(library, _, object)
    return ffi.new('complex', library.mt_PyComplex_RealAsDouble(object), library.mt_PyComplex_ImagAsDouble(object))
  end,
  string = function(library, _, object)
    local text, size = ffi.new 'char *[1]', ffi.new 'intptr_t[1]'
    library.mt_PyBytes_AsStringAndSize(object, text, size)
    return ffi.string(text[0], size[0])
  end,
  array = function(library, where, object) return arrays.borrow(library, where, object) end,
  list = function(library, where, object, depth)
    if depth > most then check.raise(('%s: lists of more than %d levels'):format(where, most)) end
    local list = {}
    for i = 0, tonumber(library.mt_PyTuple_Size(object)) - 1 do
      local value = read(library, where, library.mt_PyTuple_GetItem(object, i), depth + 1)
      if value ~= none then list[i + 1] = value end
    end
    return list
  end,
}

local write

-- Returns a new reference to the object for a value of Lua.
local writers = {
  boolean = function(library, value) return library.mt_PyBool_FromLong(value and 1 or 0) end,
  number = function(library, value)
    if value % 1 == 0 and math.abs(value) <= 2 ^ 53 then return library.mt_PyLong_FromLongLong(value) end
    return library.mt_PyFloat_FromDouble(value)
  end,
  string = function(library, value) return library.mt_PyUnicode_FromStringAndSize(value, #value) end,
  cdata = function(library, value)
    if ffi.istype('complex', value) then return library.mt_PyComplex_FromDoubles(value.re, value.im) end
    return ffi.istype('int64_t', value) and library.mt_PyLong_FromLongLong(value)
  end,
}

local function start(where)
  local library = interpreter.start()
  if not describing then
    describing = interpreter.within(function()
      local globals = interpreter.run(where, 'dict(__builtins__=__builtins__)', 'eval')
      interpreter.run(where, question, 'exec', globals)
      return globals
    end)
  end
  return library
end

--- Runs statements in Python's module `__main__`.
-- @string code
-- @raise an exception of Python as `torch.python.run: its type: its text`; and if there is no Python, or no library of it
-- @usage torch.python.run 'import numpy as np'
function python.run(code)
  local text = check.name('torch.python.run', 'code', code)
  start 'torch.python.run'
  interpreter.within(function() interpreter.run('torch.python.run', text, 'exec') end)
end

--- Computes an expression in Python's module `__main__`.
-- @string expression
-- @return None as nil, booleans, numbers (integers beyond 2^53 as FFI's int64_t, complex ones as LuaJIT's), strings, bytes as strings,
--   arrays that have `__dlpack__` as tensors over the same elements (copies of those that a tensor can't share: `torch.fromDLPack`), lists
--   and tuples of these as tables
-- @raise an exception of Python as `torch.python.eval: its type: its text`; a TypeError for other objects
-- @usage local y = torch.python.eval 'np.linalg.norm(x)'
function python.eval(expression)
  local text = check.name('torch.python.eval', 'expression', expression)
  start 'torch.python.eval'
  local value = interpreter.within(function(library)
    return read(library, 'torch.python.eval', interpreter.run('torch.python.eval', text, 'eval'), 1)
  end)
  if value ~= none then return value end
end

--- Sets a variable of Python's module `__main__`.
-- @string name
-- @param value a tensor, which becomes an array over the same elements (read-only with NumPy before 2.1), a number (a whole one becomes an
--   int, as does an int64_t, and LuaJIT's complex number a complex), a string, a boolean, nil, or a list of these
-- @string[opt='numpy'] module whose arrays tensors become: one with a function from_dlpack, such as 'torch'
-- @raise for other values, and if the module is missing or refuses a tensor
-- @usage torch.python.set('x', torch.zeros(3))
function python.set(name, value, module)
  local where = 'torch.python.set'
  name = check.name(where, 'name', name)
  check.that(name:find '^[%a_][%w_]*$', ("%s: name: '%s', expected letters, digits and _"):format(where, name))
  if module ~= nil then module = check.name(where, 'module', module) end
  start(where)
  interpreter.within(function(library)
    local object = write(library, where, value, module, 1)
    if library.mt_PyDict_SetItemString(interpreter.main(), name, object) ~= 0 then interpreter.raise(where) end
  end)
end

-- Checks that a table has the keys of a list alone.
local function checkList(where, value)
  local count = #value
  for key in pairs(value) do
    if type(key) ~= 'number' or key % 1 ~= 0 or key < 1 or key > count then
      check.raise(('%s: value: a table with the key %s, expected a list, with keys from 1'):format(where, check.describe(key)))
    end
  end
end

write = function(library, where, value, module, depth)
  if C.isTensor(value) then return arrays.lend(library, where, value, module) end
  if type(value) == 'table' and not getmetatable(value) and depth <= most then
    checkList(where, value)
    local tuple = interpreter.own(where, library.mt_PyTuple_New(#value))
    for i = 1, #value do
      local item = write(library, where, value[i], module, depth + 1)
      library.mt_Py_IncRef(item)
      library.mt_PyTuple_SetItem(tuple, i - 1, item)
    end
    local list = library.mt_PyDict_GetItemString(library.mt_PyModule_GetDict(library.mt_PyImport_AddModule 'builtins'), 'list')
    local arguments = interpreter.own(where, library.mt_PyTuple_New(1))
    library.mt_Py_IncRef(tuple)
    library.mt_PyTuple_SetItem(arguments, 0, tuple)
    return interpreter.own(where, library.mt_PyObject_CallObject(list, arguments))
  end
  if value == nil then return interpreter.run(where, 'None', 'eval') end
  local writer = writers[type(value)]
  local object = writer and writer(library, value)
  if not object then
    check.raise(('%s: value: %s, expected a tensor, number, string, boolean or a list of these'):format(where, check.describe(value)))
  end
  return interpreter.own(where, object)
end

return python
