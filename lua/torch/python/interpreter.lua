--- Python's interpreter inside this process: its library, found by the program `python3`, and calls of its C interface.
-- @module torch.python.interpreter
local ffi = require 'ffi'
local check, library, shellWord = require 'torch.check', require 'torch.library', require 'torch.shell_word'

local interpreter = {}

-- Python's own functions under names of this library, as a program may declare the originals.
ffi.cdef [[
typedef struct mt_PyObject mt_PyObject;
int mt_Py_IsInitialized(void) asm("Py_IsInitialized");
void mt_Py_InitializeEx(int signals) asm("Py_InitializeEx");
void *mt_PyEval_SaveThread(void) asm("PyEval_SaveThread");
int mt_PyGILState_Ensure(void) asm("PyGILState_Ensure");
void mt_PyGILState_Release(int state) asm("PyGILState_Release");
void mt_Py_DecRef(mt_PyObject *object) asm("Py_DecRef");
void mt_Py_IncRef(mt_PyObject *object) asm("Py_IncRef");
mt_PyObject *mt_PyImport_AddModule(const char *name) asm("PyImport_AddModule");
mt_PyObject *mt_PyModule_GetDict(mt_PyObject *module) asm("PyModule_GetDict");
mt_PyObject *mt_Py_CompileString(const char *text, const char *name, int start) asm("Py_CompileString");
mt_PyObject *mt_PyEval_EvalCode(mt_PyObject *code, mt_PyObject *globals, mt_PyObject *locals) asm("PyEval_EvalCode");
void mt_PyErr_Fetch(mt_PyObject **type, mt_PyObject **value, mt_PyObject **trace) asm("PyErr_Fetch");
void mt_PyErr_NormalizeException(mt_PyObject **type, mt_PyObject **value, mt_PyObject **trace) asm("PyErr_NormalizeException");
void mt_PyErr_Clear(void) asm("PyErr_Clear");
mt_PyObject *mt_PyObject_Str(mt_PyObject *object) asm("PyObject_Str");
mt_PyObject *mt_PyObject_Type(mt_PyObject *object) asm("PyObject_Type");
mt_PyObject *mt_PyObject_GetAttrString(mt_PyObject *object, const char *name) asm("PyObject_GetAttrString");
mt_PyObject *mt_PyObject_CallObject(mt_PyObject *callable, mt_PyObject *arguments) asm("PyObject_CallObject");
mt_PyObject *mt_PyDict_GetItemString(mt_PyObject *dict, const char *key) asm("PyDict_GetItemString");
int mt_PyDict_SetItemString(mt_PyObject *dict, const char *key, mt_PyObject *value) asm("PyDict_SetItemString");
mt_PyObject *mt_PyTuple_New(intptr_t size) asm("PyTuple_New");
int mt_PyTuple_SetItem(mt_PyObject *tuple, intptr_t i, mt_PyObject *value) asm("PyTuple_SetItem");
mt_PyObject *mt_PyTuple_GetItem(mt_PyObject *tuple, intptr_t i) asm("PyTuple_GetItem");
mt_PyObject *mt_PyUnicode_FromStringAndSize(const char *text, intptr_t size) asm("PyUnicode_FromStringAndSize");
const char *mt_PyUnicode_AsUTF8AndSize(mt_PyObject *text, intptr_t *size) asm("PyUnicode_AsUTF8AndSize");
int mt_PyBytes_AsStringAndSize(mt_PyObject *bytes, char **text, intptr_t *size) asm("PyBytes_AsStringAndSize");
mt_PyObject *mt_PyFloat_FromDouble(double value) asm("PyFloat_FromDouble");
double mt_PyFloat_AsDouble(mt_PyObject *object) asm("PyFloat_AsDouble");
mt_PyObject *mt_PyComplex_FromDoubles(double real, double imaginary) asm("PyComplex_FromDoubles");
double mt_PyComplex_RealAsDouble(mt_PyObject *object) asm("PyComplex_RealAsDouble");
double mt_PyComplex_ImagAsDouble(mt_PyObject *object) asm("PyComplex_ImagAsDouble");
long long mt_PyLong_AsLongLong(mt_PyObject *object) asm("PyLong_AsLongLong");
intptr_t mt_PyTuple_Size(mt_PyObject *tuple) asm("PyTuple_Size");
mt_PyObject *mt_PyLong_FromLongLong(long long value) asm("PyLong_FromLongLong");
mt_PyObject *mt_PyBool_FromLong(long value) asm("PyBool_FromLong");
mt_PyObject *mt_PyCapsule_New(void *pointer, const char *name, void *destructor) asm("PyCapsule_New");
void *mt_PyCapsule_GetPointer(mt_PyObject *capsule, const char *name) asm("PyCapsule_GetPointer");
const char *mt_PyCapsule_GetName(mt_PyObject *capsule) asm("PyCapsule_GetName");
int mt_PyCapsule_SetName(mt_PyObject *capsule, const char *name) asm("PyCapsule_SetName");
]]

-- What a Python program knows about its library and its modules.
local question = [[
import sys, sysconfig
of = sysconfig.get_config_var
print(of("LIBDIR") or "", of("INSTSONAME") or "", sys.version_info[0], sys.version_info[1], *sys.path, sep="\n")
]]

local function describe(program)
  local pipe = io.popen(shellWord(program) .. ' -c ' .. shellWord(question) .. ' 2>/dev/null')
  local lines = {}
  if pipe then
    for line in pipe:lines() do lines[#lines + 1] = line end
    pipe:close()
  end
  if #lines < 5 then
    error(('torch.python: the program %s was not found, or is no Python 3 (Debian and Ubuntu: apt-get install python3); ' ..
      'MOONTORCH_PYTHON names another one'):format(program), 0)
  end
  local found = { folder = lines[1], soname = lines[2], version = lines[3] .. '.' .. lines[4], path = {} }
  for i = 5, #lines do found.path[#found.path + 1] = lines[i] end
  return found
end

-- Whether the interpreter runs already: it is the host's, or another Lua state has started it.
local function isRunning()
  local good, count = pcall(function() return ffi.C.mt_Py_IsInitialized() end)
  return good and count ~= 0
end

-- Opens the library for all other libraries of the process: Python's modules look for its functions there.
local function open(found)
  local names = { found.folder .. '/' .. found.soname, found.soname, ('libpython%s.so.1.0'):format(found.version) }
  for _, name in ipairs(names) do
    local good, opened = pcall(ffi.load, name, true)
    if good then
      library.open({ name }, '')      -- never closed
      return opened
    end
  end
  error(('torch.python: %s was not found (Debian and Ubuntu: apt-get install libpython%s)'):format(names[3], found.version), 0)
end

local python      -- the library, once it is open

--- Calls a function that may use Python's C interface, with Python's lock.
-- @tparam function f gets the library
-- @return its first result
function interpreter.within(f, ...)
  local state = python.mt_PyGILState_Ensure()
  local good, result = pcall(f, python, ...)
  python.mt_PyGILState_Release(state)
  if good then return result end
  return check.call(error, result, 0)
end

--- Raises the present exception of Python as an error, `where: the exception's type: its text`.
function interpreter.raise(where)
  local slots = ffi.new('mt_PyObject *[3]')
  python.mt_PyErr_Fetch(slots, slots + 1, slots + 2)
  python.mt_PyErr_NormalizeException(slots, slots + 1, slots + 2)
  local text = 'an error without a description'
  if slots[1] ~= nil then text = ('%s: %s'):format(interpreter.typeName(slots[1]), interpreter.text(slots[1])) end
  for i = 0, 2 do python.mt_Py_DecRef(slots[i]) end
  check.raise(where .. ': ' .. text)
end

--- Passes a new reference on, or raises the exception that stands for it; the collector releases the reference.
function interpreter.own(where, object)
  if object == nil then interpreter.raise(where) end
  return ffi.gc(object, function(it)
    if python.mt_Py_IsInitialized() == 0 then return end      -- a host has ended it
    local state = python.mt_PyGILState_Ensure()
    python.mt_Py_DecRef(it)
    python.mt_PyGILState_Release(state)
  end)
end

--- Returns str(object).
function interpreter.text(object)
  local size, text = ffi.new 'intptr_t[1]', python.mt_PyObject_Str(object)
  local bytes = text ~= nil and python.mt_PyUnicode_AsUTF8AndSize(text, size)
  local result = bytes and bytes ~= nil and ffi.string(bytes, size[0]) or '?'
  python.mt_PyErr_Clear()
  if text ~= nil then python.mt_Py_DecRef(text) end
  return result
end

--- Returns the name of an object's type.
function interpreter.typeName(object)
  local type = python.mt_PyObject_Type(object)
  local name = python.mt_PyObject_GetAttrString(type, '__name__')
  local result = name ~= nil and interpreter.text(name) or '?'
  python.mt_PyErr_Clear()
  if name ~= nil then python.mt_Py_DecRef(name) end
  python.mt_Py_DecRef(type)
  return result
end

local starts = { eval = 258, exec = 257 }      -- Py_eval_input, Py_file_input

--- Runs a text in the module `__main__` or in other globals.
-- @string where the start of messages
-- @string text
-- @string kind 'eval' for an expression, 'exec' for statements
-- @param[opt] globals a dict
-- @return the result, a reference that the collector releases
function interpreter.run(where, text, kind, globals)
  local code = interpreter.own(where, python.mt_Py_CompileString(text, '<moontorch>', starts[kind]))
  globals = globals or interpreter.main()
  return interpreter.own(where, python.mt_PyEval_EvalCode(code, globals, globals))
end

--- Returns the names of the module `__main__`, as a dict.
function interpreter.main() return python.mt_PyModule_GetDict(python.mt_PyImport_AddModule '__main__') end

--- Starts the interpreter, or finds the one that the host has started.
-- @treturn cdata the library
-- @raise if the program or its library is missing
function interpreter.start()
  if python then return python end
  if isRunning() then
    python = ffi.C
    return python
  end
  local found = describe(os.getenv 'MOONTORCH_PYTHON' or 'python3')
  local opened = open(found)
  opened.mt_Py_InitializeEx(0)      -- without signal handlers
  python = opened
  local words = {}
  for i, folder in ipairs(found.path) do words[i] = ('%q'):format(folder):gsub('\\\n', '\\n') end
  interpreter.run('torch.python', ('import sys; sys.path[:] = [%s]; sys.argv = [""]'):format(table.concat(words, ', ')), 'exec')
  opened.mt_PyEval_SaveThread()      -- other threads may run Python
  return python
end

return interpreter
