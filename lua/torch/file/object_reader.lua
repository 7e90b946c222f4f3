--- Reads objects of the t7 format.
-- Files are not trusted: every length and index is checked before its use, and functions are refused unless allowed.
-- Nesting uses an explicit stack; only classes with a custom read recurse.
-- @module torch.file.object_reader
local class = require 'torch.class'
local binary = require 'torch.file.binary'
local damage = require 'torch.file.damage'
local check = require 'torch.check'
local ffiNumbers = require 'torch.file.ffi_numbers'
local handle = require 'torch.file.handle'
local scalars = require 'torch.file.scalars'
local tags = require 'torch.file.tags'
local foreign = require 'torch.file.foreign_classes'
local known = require 'torch.file.known_values'

local type, pairs, loadstring = type, pairs, loadstring
local readInt = scalars.int
local longestName = 255
local deepest = 200      -- nested objects of classes with a custom read
local pairBytes = { binary = 12, ascii = 4 }    -- minimum bytes of a pair of objects: boolean key and nil value

local reader = {}

--- Creates the state of a file between calls of readObject.
function reader.newState()
  return {
    objects = {},       -- index -> object
    classes = {},       -- name -> how to create and read an object
    versions = {},      -- text -> the class version in it; false if it is a class name
    variables = {},     -- number of a shared variable -> {function, upvalue}
    notes = {},         -- messages about unknown classes
    depth = 0,
  }
end

local function readLength(file, what)
  local at = file._channel:position() + 1
  local n = readInt(file)
  if n < 0 then damage.raise(at, what .. ', 0 or more', tostring(n)) end
  if n > file._channel:remaining() then damage.raise(at, what .. ' that the file has room for', tostring(n)) end
  return n
end

local function readText(file, what) return file:_readText(readLength(file, what)) end

local function readIndex(file)
  local at = file._channel:position() + 1
  local index = readInt(file)
  if index < 1 then damage.raise(at, 'an index, 1 or more', tostring(index)) end
  return index
end

local function remember(file, index, object)
  if index and file._referenced then file._read.objects[index] = object end
end

local function readCode(file, at)
  if not file._functions then
    damage.raise(at, 'no function, as it would be code of whoever wrote the file (to allow it: torch.load(name, mode, {functions = true}), '
      .. 'file:allowFunctions(true) or th --functions)', 'a function')
  end
  local f = loadstring(readText(file, 'a length of bytecode'))
  if not f then print('Warning: Failed to load function from bytecode') end
  return f
end

-- Frames: functions that store each part in an unfinished object. They return true when the object is complete, and its value.
local function acceptPair(frame, _, part, at)
  if frame.expectsKey then
    if part == nil or part ~= part then damage.raise(at, 'a table key', part == nil and 'nil' or 'nan') end
    frame.key, frame.expectsKey = part, false
    return false
  end
  frame.value[frame.key] = part
  frame.expectsKey, frame.left = true, frame.left - 1
  return frame.left == 0, frame.value
end

-- Completes an instance (a table) from a file of a GPU program after its fields were read.
local function completeObject(object, additions)
  local kept = rawget(object, '_type')
  if kept ~= nil then rawset(object, '_type', foreign.typeField(kept)) end
  if additions then foreign.complete(object, additions) end
end

local function acceptFields(frame, _, part, at)
  if type(part) ~= 'table' then damage.raise(at, 'a table with the fields of ' .. class.typename(frame.value), class.type(part)) end
  local object = frame.value
  class.assign(object, part)
  if type(object) == 'table' then completeObject(object, frame.additions) end
  return true, object
end

local function restoreVariable(file, f, i, upvalue)
  local value = upvalue.value
  if type(upvalue.known) == 'string' then value = known.value(upvalue.known) end
  local shared = upvalue.id and file._read.variables[upvalue.id]
  if shared then
    debug.upvaluejoin(f, i, shared.f, shared.i)
  else
    debug.setupvalue(f, i, value)
    if upvalue.id then file._read.variables[upvalue.id] = { f = f, i = i } end
  end
end

local function acceptUpvalues(frame, file, part, at)
  if type(part) ~= 'table' then damage.raise(at, 'a table of upvalues', class.type(part)) end
  local f = frame.value
  if not f then return true, nil end
  local count = debug.getinfo(f, 'u').nups
  for i, upvalue in pairs(part) do
    if type(i) == 'number' and i >= 1 and i <= count and i % 1 == 0 then
      if not frame.named then
        debug.setupvalue(f, i, upvalue)
      elseif type(upvalue) == 'table' then
        restoreVariable(file, f, i, upvalue)
      end
    end
  end
  return true, f
end

local begin = {}       -- tag -> function(file, at): the complete value, or nil and a frame

begin[tags.none] = function() return nil end
begin[tags.number] = function(file) return file:readDouble() end
begin[tags.boolean] = function(file) return file:readBool() end
begin[tags.string] = function(file) return readText(file, 'a string length') end

-- Returns an object that was read before, or nil and the index of a new one.
local function metBefore(file)
  local index = readIndex(file)
  if not file._referenced then return nil, index end
  return file._read.objects[index], index
end

begin[tags.table] = function(file)
  local object, index = metBefore(file)
  if object ~= nil then return object end
  local at = file._channel:position() + 1
  local count = readInt(file)
  local smallest = file._encoding == binary and pairBytes.binary or pairBytes.ascii
  if count < 0 or count * smallest > file._channel:remaining() then
    damage.raise(at, 'a number of pairs that the file has room for', tostring(count))
  end
  object = {}
  remember(file, index, object)
  if count == 0 then return object end
  return nil, { accept = acceptPair, value = object, left = count, expectsKey = true }
end

local function readClass(file)
  local text, versions = readText(file, 'a length of a version'), file._read.versions
  local version = versions[text]
  if version == nil then
    version = tonumber(text:match('^V (%d+)$')) or false
    versions[text] = version
  end
  if version then return readText(file, 'a length of a class name'), version end
  return text, 0
end

-- Returns how to create and read an object of a class: `factory`, nil if the class is unknown, `additions` and `hook`. Cached per file.
local function resolved(file, name, at)
  local notes = file._read.notes
  local factory, additions = foreign.factory(name), foreign.additions(name)
  if not factory then
    local standIn
    standIn, additions = foreign.standIn(name, notes)
    factory = standIn and class.factory(standIn)
  end
  if not factory and class.getmetatable(name) then damage.raise(at, 'a class whose objects can be in files', name) end
  if not factory and (#name > longestName or not name:find('^[%w_][%g ]*$')) then
    damage.raise(at, 'a class name', ('%q'):format(name:sub(1, 60)))
  end
  return { factory = factory, additions = additions }
end

begin[tags.object] = function(file)
  local object, index = metBefore(file)
  if object ~= nil then return object end
  local at = file._channel:position() + 1
  local name, version = readClass(file)
  local readNumber = ffiNumbers.readers[name]
  if readNumber then
    object = readNumber(file)
    remember(file, index, object)
    return object
  end
  local kind = file._read.classes[name]
  if not kind then
    kind = resolved(file, name, at)
    file._read.classes[name] = kind
  end
  local factory, additions, hook = kind.factory, kind.additions, kind.hook
  object = factory and factory() or foreign.opaque(name, version, file._read.notes)
  remember(file, index, object)
  if hook == nil then
    local record = class.recordOf(object)
    hook = class.find(record, '__read', true) or class.find(record, 'read') or false
    kind.hook, kind.isTable = hook, type(object) == 'table'
  end
  if not hook then return nil, { accept = acceptFields, value = object, additions = additions } end
  if file._read.depth > deepest then damage.raise(at, ('at most %d nested objects that read themselves'):format(deepest), 'one more') end
  hook(object, file._handle or handle.of(file), version)
  if kind.isTable then completeObject(object, additions) end
  return object
end

local function beginFunction(indexed, named)
  return function(file, at)
    local object, index
    if indexed then
      object, index = metBefore(file)
      if object ~= nil then return object end
    end
    local f = readCode(file, at)
    remember(file, index, f)
    return nil, { accept = acceptUpvalues, value = f, named = named }
  end
end

begin[tags.oldFunction] = beginFunction(false, false)
begin[tags.legacyFunction] = beginFunction(true, false)
begin[tags.closure] = beginFunction(true, true)

local function run(file)
  local stack, top = {}, 0
  while true do
    local at = file._channel:position() + 1
    local tag = readInt(file)
    if not begin[tag] then damage.raise(at, 'a type tag from 0 to 8', tostring(tag)) end
    local value, frame = begin[tag](file, at)
    if frame then
      top = top + 1
      stack[top] = frame
    else
      local complete
      repeat
        if top == 0 then return value end
        complete, value = stack[top]:accept(file, value, at)
        if complete then
          stack[top] = nil
          top = top - 1
        end
      until not complete
    end
  end
end

--- Reads one object; if the file is damaged, raises an error object of `torch.file.damage`.
-- @tparam torch.File file
function reader.read(file)
  local state = file._read
  if state.depth > 0 then
    state.depth = state.depth + 1
    local value = run(file)
    state.depth = state.depth - 1
    return value
  end
  state.depth, file._loading = 1, true
  local good, value = pcall(run, file)
  state.depth, file._loading = 0, false
  if not good then error(value, 0) end
  foreign.tell(state.notes)
  return value
end

--- Reads one object; if the file is damaged, raises a message; if it is quiet, returns nil and records the error.
-- @tparam torch.File file
function reader.readOrFail(file)
  if file._read.depth > 0 then return reader.read(file) end
  local good, value = pcall(reader.read, file)
  if good then return value end
  if damage.is(value) then
    file._failed = true
    if file._quiet then return nil end
    check.raise('readObject: ' .. tostring(value))
  end
  error(value, 0)
end

return reader
