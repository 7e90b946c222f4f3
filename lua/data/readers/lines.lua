--- Lines of text files, optionally compressed by gzip.
-- @module data.readers.lines
local check = require 'torch.check'
local Delimited = require 'torch.file.delimited'
local Disk = require 'torch.file.disk_channel'
local Gzip = require 'torch.file.gzip_channel'
local recognise = require 'torch.file.recognise'

local lines = {}

local Lines = {}
Lines.__index = Lines

--- Opens a file, pipe or device.
-- @string op prefix of error messages
-- @string name
-- @treturn table with `next`, `close`, and `number`, the number of the last line
function lines.open(op, name)
  name = check.name(op, 'name', name)
  local file, message = Disk.open(name, 'r')
  check.that(file, ('%s: cannot open %s: %s'):format(op, name, tostring(message)))
  local self = setmetatable({ _op = op, _name = name, _file = file, number = 0 }, Lines)
  self._contents = Gzip.isNext(file) and Gzip.over(file) or file
  self._text = self:guard(function() return Delimited.new(self._contents, {}) end)
  return self
end

--- Calls a function; its errors begin with the operation and the file, and end with the file's format if it is not text.
function Lines:guard(f, ...)
  local good, first = pcall(f, ...)
  if good then return first end
  check.raise(('%s: %s: %s'):format(self._op, self._name, recognise.explained(tostring(first), recognise.head(self._file), self._op)))
end

--- The next line, without its end; nil after the last.
function Lines:next()
  local text = self._text and self:guard(self._text.textLine, self._text)
  if not text then
    self:close()
    return nil
  end
  self.number = self.number + 1
  return text
end

--- The position in the file, from 1, of the last line.
function Lines:place() return self._text.lineAt end

--- Closes the file. The garbage collector closes unused files, too.
function Lines:close()
  if self._contents and self._contents ~= self._file then self._contents:close() end
  if self._file then self._file:close() end
  self._text, self._contents, self._file = nil, nil, nil
end

return lines
