--- Messages with objects that write and read themselves, as for files: the items that they write are sent as values.
-- @module threads.hooks
local class = require 'torch.class'

local hooks = {}

local function find(record, name) return class.find(record, '__' .. name) or class.find(record, name) end

--- Whether a class has methods to write its objects and read them back.
-- @tparam table metatable of the class
-- @treturn bool
function hooks.writesItself(metatable)
  local record = class.recordOf(setmetatable({}, metatable))
  local write = record and find(record, 'write')
  if not write or not find(record, 'read') then return false end
  local nn = package.loaded.nn
  local module = type(nn) == 'table' and rawget(nn, 'Module')
  return not module or write ~= module.write
end

-- A file whose items are Lua values.
local Tape = {}

local answers = { isLean = false, isQuiet = false, isBinary = true, isReferenced = true, hasError = false, isReadable = true,
                  isWritable = true }

local function read(self, storage)
  local i = self.at + 1
  if i > self.n then error('read error: the object wrote less than it reads', 0) end
  self.at = i
  local value = self[i]
  if type(storage) ~= 'userdata' then return value end
  storage:resize(value:size()):copy(value)
  return value:size()
end

local function write(self, value)
  self.n = self.n + 1
  self[self.n] = value
  return type(value) == 'string' and #value or 1
end

function Tape.__index(_, name)
  if name:find '^read' then return read end
  if name:find '^write' then return write end
  if answers[name] ~= nil then return function() return answers[name] end end
  if name == 'position' then return function(self) return self.at + 1 end end
  return function(self) return self end      -- modes, which have no effect
end

--- The items that an object writes.
-- @treturn table
function hooks.written(object)
  local tape = setmetatable({ n = 0, at = 0 }, Tape)
  find(class.recordOf(object), 'write')(object, tape)
  return setmetatable(tape, nil)
end

--- Lets objects read the items that they wrote, inner objects first.
-- @tparam table pending alternately objects and their items, the outermost first
function hooks.readAll(pending)
  for i = #pending - 1, 1, -2 do
    local object = pending[i]
    local record = class.recordOf(object)
    find(record, 'read')(object, setmetatable(pending[i + 1], Tape), class.version(object))
  end
end

return hooks
