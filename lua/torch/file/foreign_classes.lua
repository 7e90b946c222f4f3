--- Replaces unknown classes in files: GPU tensors become CPU tensors, packages above torch may replace classes (`torch.extensions`), and
-- any other object becomes an opaque table of its fields.
-- @module torch.file.foreign_classes
local C = require 'libmoontorch'
local class, extensions = require 'torch.class', require 'torch.extensions'
local types = require 'torch.devices.types'

local foreign = {}

local told = {}

--- Logs the notes from `standIn` and `opaque`, each kind once per program.
-- @tparam table notes message by subject; emptied
function foreign.tell(notes)
  for about, message in pairs(notes) do
    if not told[about] then C.log(message) end
    told[about], notes[about] = true, nil
  end
end

-- Returns the CPU class of a device's tensors or storages if there is no such device: torch.CudaTensor holds floats, torch.CudaLongTensor
-- longs. Else returns nil.
local function cpuName(name)
  local type, what = name:match '^torch%.(%a*)(Tensor)$'
  if not type then type, what = name:match '^torch%.(%a*)(Storage)$' end
  if not type then return nil end
  local dtype, kind = types.parse(type)
  if kind and not require('torch.devices.kinds').isThere(kind) then return 'torch.' .. C.dtypes[dtype].torch .. what end
end

--- Returns the function that creates an empty object of a known class: no device library is loaded for a file.
-- @string name of the class
-- @treturn ?function
function foreign.factory(name) return not cpuName(name) and class.factory(name) or nil end

-- Names from before there were several dtypes.
local formerNames = { ['torch.Tensor'] = 'torch.DoubleTensor', ['torch.Storage'] = 'torch.DoubleStorage' }

-- Calls the extension that the package of a class provides for a purpose, if there is one.
local function ask(purpose, name)
  local package = name:match '^([^.]*)%.'
  local extension = package and extensions.get(purpose .. package)
  if extension then return extension(name) end
end

--- Returns the class that replaces an unknown one.
-- @string name from the file
-- @tparam table notes receives messages to log when everything has been read
-- @treturn ?string a known class, nil if there is none
-- @treturn ?table|function fields to add, or a function that adds them
function foreign.standIn(name, notes)
  local cpu = cpuName(name)
  if cpu then
    notes.cuda = ('tensors of a GPU become CPU tensors: a %s is a %s here'):format(name, cpu)
    return cpu
  end
  if formerNames[name] then return formerNames[name] end
  return ask('classes.', name)
end

--- Returns the additions to the fields of an object of a known class.
-- @string name of the class
-- @treturn ?table|function as for `standIn`
function foreign.additions(name) return ask('fields.', name) end

--- Adds the additional fields from `standIn` to an object that has been read.
function foreign.complete(object, additions)
  if type(additions) == 'function' then return additions(object) end
  for key, value in pairs(additions) do
    if object[key] == nil then object[key] = value end
  end
end

local opaque = {}         -- class name and version -> metatable

-- Returns the metatable of objects of an unknown class: `torch.typename` returns its name, and files can write the objects again, with
-- their version. The name remains free for a later class.
local function opaqueMetatable(name, version)
  local key = name .. ' ' .. version
  if not opaque[key] then
    local metatable = { __typename = name, __version = version, __tostring = function() return name .. ' (unknown class)' end }
    metatable.__factory = function() return setmetatable({}, metatable) end
    metatable.__metatable = metatable
    class.list { name = name, metatable = metatable, children = {} }
    opaque[key] = metatable
  end
  return opaque[key]
end

--- Returns an instance for an object of an unknown class.
-- @string name
-- @int version
-- @tparam table notes as for `standIn`
-- @treturn table
function foreign.opaque(name, version, notes)
  notes[name] = ('unknown Torch class <%s>: its objects are plain tables of their fields until the package that defines it is loaded '
    .. 'before the file'):format(name)
  return setmetatable({}, opaqueMetatable(name, version))
end

--- Converts a tensor type in the field `_type` of a module for tensors that have become CPU tensors.
function foreign.typeField(value)
  return type(value) == 'string' and cpuName(value) or value
end

return foreign
