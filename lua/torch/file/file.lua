--- torch.File: the common part of disk and memory files: opening, moving, objects and closing. Methods for numbers, text and settings are
-- in `torch.file.elements`, `torch.file.text` and `torch.file.settings`. A file is a table class over a channel of bytes (`memory_channel`,
-- `disk_channel`) and an encoding (`binary`, `ascii`).
-- @classmod torch.File
local torch, class = require 'torch', require 'torch.class'
local access, handle, trust = require 'torch.file.access', require 'torch.file.handle', require 'torch.file.trust'
local writer, reader = require 'torch.file.object_writer', require 'torch.file.object_reader'
local ascii = require 'torch.file.ascii'

local open, fail = access.open, access.fail

local metatable = class.newmetatable('torch.File', nil, nil, nil, nil, torch)
local File = {}
File.__index = File

for _, part in ipairs { 'elements', 'text', 'settings' } do
  for name, method in pairs(require('torch.file.' .. part)) do File[name] = method end
end

--- Creates the state of a new file.
-- @tparam table channel of bytes
-- @string name for messages
-- @string mode 'r', 'w' or 'rw'
-- @tparam[opt] table class_ the metatable of the file's class
function File:_new(channel, name, mode, class_)
  self = setmetatable({ _isFile = true, _class = class_ or metatable, _channel = channel, _name = name }, self)
  self._readable, self._writable = mode:find('r', 1, true) ~= nil, mode:find('w', 1, true) ~= nil
  self._encoding = ascii
  self._autoSpacing, self._referenced, self._quiet, self._failed = true, true, false, false
  self._longSize, self._swapped, self._functions = 8, false, trust.functions
  self._written, self._read = writer.newState(), reader.newState()
  return self
end

--- Writes an object: any nesting of tables, strings, numbers, booleans, functions and torch objects.
-- @param object what to write
-- @string[opt='<?>'] debugname the object's name in messages
-- @tparam[opt] function hook maps each object before it is written
function File:writeObject(object, debugname, hook)
  access.forWriting(self)
  writer.write(self, object, debugname, hook)
  return self
end

--- Reads an object.
function File:readObject()
  access.forReading(self)
  return reader.readOrFail(self)
end

--- Returns the type tag of an object in a file, or nil if it cannot be written.
function metatable.isWritableObject(_, object) return writer.tagOf(object) end

--- Returns whether the file was opened for reading.
function File:isReadable() return self._readable end

--- Returns whether the file was opened for writing.
function File:isWritable() return self._writable end

--- Returns whether the file is open.
function File:isOpened() return self._channel ~= false and self._channel ~= nil end

--- Moves to a byte, counted from 1.
function File:seek(position)
  local channel = open(self)
  local place = tonumber(position)
  if not place or place ~= place or place < 1 then error('position has to be greater than 0!', 3) end
  if place >= 2 ^ 53 or not channel:seek(math.floor(place) - 1) then fail(self, 'unable to seek to position ' .. place) end
  return self
end

--- Moves to the end, after the last byte.
function File:seekEnd()
  local channel = open(self)
  if not channel:seek(channel:size()) then fail(self, 'unable to seek to the end of file') end
  return self
end

--- Returns the current position, counted from 1.
function File:position() return open(self):position() + 1 end

--- Passes buffered bytes to the system.
function File:synchronize()
  local good, message = open(self):flush()
  if not good then fail(self, 'write error: ' .. message) end
  return self
end

--- Closes the file; any later use is an error.
function File:close()
  local channel = open(self)
  self._channel = false
  self._written, self._read = nil, nil
  local good, message = channel:close()
  if good == nil and message then fail(self, 'write error: ' .. message) end
  return self
end

handle.publish(metatable, File)
return File
