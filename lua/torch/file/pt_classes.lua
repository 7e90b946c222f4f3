--- The classes and functions of Python that PyTorch's files name, as Lua values. Others become tables of their arguments and fields.
-- @module torch.file.pt_classes
local torch = require 'torch'
local numpy = require 'torch.file.numpy_pickles'
local objects = require 'torch.file.python_tables'
local ptTensors = require 'torch.file.pt_tensors'
local text = require 'torch.file.pickle_text'

local noteOf, none = objects.note, objects.none

local function noteOfTable(x) return type(x) == 'table' and noteOf(x) or nil end

-- Returns a dictionary of a class, filled from a dictionary or a list of pairs.
local function dictionary(state, from, name)
  local made = objects.dictionary(name)
  if from == nil or from == none then return made end
  local note = noteOfTable(from)
  if not note then state:fail('a dictionary, or a list of pairs', state.shown(from)) end
  if note.keys then
    state:work(note.count)
    for i = 1, note.count do
      local value = from[note.keys[i]]
      if value == nil then value = none end
      objects.set(made, note.keys[i], value)
    end
    return made
  end
  state:work(#from)
  for _, pair in ipairs(from) do
    if not noteOfTable(pair) or #pair ~= 2 then state:fail('a pair', state.shown(pair)) end
    if not objects.set(made, pair[1], pair[2]) then state:fail('a key', 'NaN') end
  end
  return made
end

local function mapping(position) return function(state, args, name) return dictionary(state, args[position], name) end end

local function sequence(make)
  return function(state, args, name)
    local note = noteOfTable(args[1])
    if args[1] ~= nil and (not note or note.keys) then state:fail('a list', state.shown(args[1])) end
    local items, count = {}, args[1] and #args[1] or 0
    state:work(count)
    for i = 1, count do items[i] = args[1][i] end
    return make(items, name)
  end
end

local function number(state, args)
  local value = args[1]
  if value ~= nil and tonumber(value) == nil then state:fail('a number', state.shown(value)) end
  return tonumber(value or 0)
end

local function encode(state, args)
  if type(args[1]) ~= 'string' then state:fail('a string to encode', state.shown(args[1])) end
  state:work(#args[1])
  if args[2] ~= 'latin1' then return args[1] end
  return text.latin1(args[1]) or state:fail('characters of Latin-1', 'others')
end

local function bytes(state, args)
  local from = args[1]
  if from == nil or type(from) == 'string' then return from or '' end
  state:fail('bytes', state.shown(from))
end

local function device(_, args)
  local index = args[2]
  return type(index) == 'number' and ('%s:%d'):format(tostring(args[1]), index) or tostring(args[1])
end

-- Creates an object of an unknown class: its arguments are the array part, its state gives it fields.
local function unknown(state, args, name)
  local made = objects.dictionary(name)
  noteOf(made).isObject = true
  state:work(#args)
  for i, value in ipairs(args) do rawset(made, i, value) end
  return made
end

local function namespace(_, _, name)
  local made = objects.dictionary(name)
  noteOf(made).isObject = true
  return made
end

-- Variables and parameters of PyTorch 0.1 to 0.3 are made of their tensor.
local function variable(state, args, name)
  if torch.isTensor(args[1]) then return args[1] end
  return unknown(state, args, name)
end

local calls = {
  ['collections.OrderedDict'] = mapping(1), ['collections.Counter'] = mapping(1), ['collections.defaultdict'] = mapping(2),
  ['builtins.dict'] = mapping(1), ['argparse.Namespace'] = namespace,
  ['types.SimpleNamespace'] = namespace,
  ['builtins.set'] = sequence(function(items) return objects.sequence(items, 'set') end),
  ['builtins.frozenset'] = sequence(function(items) return objects.sequence(items, 'frozenset') end),
  ['builtins.list'] = sequence(objects.list), ['builtins.tuple'] = sequence(objects.tuple),
  ['collections.deque'] = sequence(objects.sequence), ['torch.Size'] = sequence(objects.sequence),
  ['builtins.complex'] = function(_, args) return objects.sequence({ args[1], args[2] }, 'complex') end,
  ['builtins.int'] = number, ['builtins.float'] = number, ['builtins.bool'] = function(_, args) return args[1] == true or args[1] == 1 end,
  ['builtins.str'] = bytes, ['builtins.bytes'] = bytes, ['builtins.bytearray'] = bytes, ['_codecs.encode'] = encode,
  ['torch.autograd.variable.Variable'] = variable, ['torch.nn.parameter.Parameter'] = variable, ['torch.device'] = device,
  ['torch.serialization._get_layout'] = function(_, args) return args[1] end,
  -- TorchScript's lists with the type of their items, and values with their type.
  ['torch.jit._pickle.build_intlist'] = sequence(objects.list), ['torch.jit._pickle.build_tensorlist'] = sequence(objects.list),
  ['torch.jit._pickle.build_doublelist'] = sequence(objects.list), ['torch.jit._pickle.build_boollist'] = sequence(objects.list),
  ['torch.jit._pickle.restore_type_tag'] = function(_, args) return args[1] end,
}
for name, call in pairs(numpy.calls) do calls[name] = call end

-- The other names of these: Python 2's modules, and NumPy's since 2.0.
local function ordinary(module)
  if module == '__builtin__' then return 'builtins' end
  return (module:gsub('^numpy%._core', 'numpy.core'))
end

-- Classes that files name without calling them, and those of TorchScript's modules, whose code is in the archive.
local named = { '^torch%.%a*Tensor$', '^torch%.cuda%.%a*Tensor$', '^numpy%.ndarray$', '^__torch__%f[.%z]' }

local function isNamed(whole)
  for _, pattern in ipairs(named) do
    if whole:find(pattern) then return true end
  end
  return false
end

local classes = {}

--- Returns the function `find` of `torch.file.pickle`.
-- @tparam table tensors of the file
-- @tparam table found list of the names of unknown classes, which grows
-- @bool strict whether unknown classes are refused
function classes.finder(tensors, found, strict)
  local known, seen = tensors:calls(), {}
  return function(state, module, name)
    local whole = ordinary(module) .. '.' .. name
    if seen[whole] then return seen[whole] end
    local dtype = ptTensors.dtype(module, name)
    if dtype then return name end
    local layout = module == 'torch' and (name:find '^sparse_' or name:find '_format$' or name == 'strided')
    if layout then return name end
    local value = objects.sequence({ name = whole }, 'type')
    local note = noteOf(value)
    note.name, note.call, note.storage = whole, known[whole] or calls[whole], ptTensors.ofStorageClass(module, name)
    if not note.call then
      note.call = unknown
      if not note.storage and not isNamed(whole) then
        if strict then state:fail('classes of PyTorch and Python that torch.pt knows', whole, true) end
        found[#found + 1] = whole
      end
    end
    seen[whole] = value
    return value
  end
end

return classes
