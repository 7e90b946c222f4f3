--- What classes in files become that are not known here: GPU tensors are CPU ones, cudnn's and cunn's modules are nn's, and any other
-- object is an opaque table of its fields.
-- @module torch.file.foreign_classes
local C = require 'libmoontorch'
local class = require 'torch.class'
local types = require 'torch.devices.types'

local foreign = {}

local told = {}

--- Writes notes that `standIn` and `opaque` have taken, each of its kind once in a program.
-- @tparam table notes message by what it is about; emptied
function foreign.tell(notes)
  for about, message in pairs(notes) do
    if not told[about] then C.log(message) end
    told[about], notes[about] = true, nil
  end
end

-- The CPU class of a device's tensors or storages, where there is no such device: torch.CudaTensor holds floats, torch.CudaLongTensor
-- longs. Else nil.
local function cpuName(name)
  local type, what = name:match '^torch%.(%a*)(Tensor)$'
  if not type then type, what = name:match '^torch%.(%a*)(Storage)$' end
  if not type then return nil end
  local dtype, kind = types.parse(type)
  if kind and not require('torch.devices.kinds').isThere(kind) then return 'torch.' .. C.dtypes[dtype].torch .. what end
end

--- The function that makes a bare object of a class that is known here: no library of a device is loaded for a file.
-- @string name of the class
-- @treturn ?function
function foreign.factory(name) return not cpuName(name) and class.factory(name) or nil end

-- Names from before there were several types.
local formerNames = { ['torch.Tensor'] = 'torch.DoubleTensor', ['torch.Storage'] = 'torch.DoubleStorage' }

-- What a constructor of nn's sets and cudnn's does not. cudnn says by its mode whether padding counts in an average.
local function averagePooling(module)
  if module.divide ~= nil then return end
  module.divide = true
  module.count_include_pad = module.mode ~= 'CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING'
end
local missing = {
  ReLU = { threshold = 0, val = 0 },
  SpatialAveragePooling = averagePooling,
  VolumetricAveragePooling = averagePooling,
}

-- nn's name of a module of cudnn or cunn, and what has to be added to its fields. Else nil.
local function nnName(name)
  local short = name:match('^cud?nn%.([%w_]+)$')
  if short and class.factory('nn.' .. short) then return 'nn.' .. short, missing[short] end
end

--- The class that stands in for one that is not known.
-- @string name as the file has it
-- @tparam table notes what there is to tell when all has been read
-- @treturn ?string a known class, nil if there is none
-- @treturn ?table|function fields to add, or a function that adds them
function foreign.standIn(name, notes)
  local cpu = cpuName(name)
  if cpu then
    notes.cuda = ('tensors of a GPU become CPU tensors: a %s is a %s here'):format(name, cpu)
    return cpu
  end
  -- What a container of tds holds is in no table, and a class of autograd.nn is made when it is asked for.
  local owner = name:match '^(tds)%.' or name:match '^(autograd)%.nn%.'
  if owner and pcall(require, owner) and class.factory(name) then return name end
  if package.loaded.nn and require 'nn.recurrent.requested'(name) then
    require 'nn.recurrent'
    return name
  end
  if formerNames[name] then return formerNames[name] end
  return nnName(name)
end

--- What has to be added to the fields of an object of a class that is known, where it is of cudnn's.
-- @string name of the class
-- @treturn ?table|function as `standIn` gives it
function foreign.additions(name)
  local short = name:match '^cudnn%.([%w_]+)$'
  return short and missing[short]
end

--- Adds the fields that `standIn` told of to an object that has been read.
function foreign.complete(object, additions)
  if type(additions) == 'function' then return additions(object) end
  for key, value in pairs(additions) do
    if object[key] == nil then object[key] = value end
  end
end

local opaque = {}         -- class name and version -> metatable

-- The metatable of objects of a class that is not known here: it answers `torch.typename` and lets files write them again, with their
-- version. The name stays free for a class to come.
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

--- An instance for an object of an unknown class.
-- @string name
-- @int version
-- @tparam table notes as for `standIn`
-- @treturn table
function foreign.opaque(name, version, notes)
  notes[name] = ('unknown Torch class <%s>: its objects are plain tables of their fields until the package that defines it is loaded '
    .. 'before the file'):format(name)
  return setmetatable({}, opaqueMetatable(name, version))
end

--- A tensor type as modules keep it in their field `_type`, for tensors that have become CPU ones.
function foreign.typeField(value)
  return type(value) == 'string' and cpuName(value) or value
end

return foreign
