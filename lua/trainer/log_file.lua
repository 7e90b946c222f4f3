--- A text or binary file that grows, and that a resumed run shortens to what it had when the checkpoint was written. It is opened at the
-- first write, which replaces an existing file.
-- @module trainer.log_file
local check, paths = require 'torch.check', require 'paths'
local append, atomic = require 'torch.file.append_text', require 'torch.file.atomic'

local LogFile = {}
LogFile.__index = LogFile

--- @string name its folder is created at the first write
function LogFile.new(name) return setmetatable({ name = name, bytes = 0 }, LogFile) end

local function open(self, where, mode)
  local folder = paths.dirname(self.name)
  if not paths.dirp(folder) then paths.mkdir(folder) end      -- if that fails, opening the file reports the error
  local file, message = io.open(self.name, mode)
  self.file = check.that(file, ('%s: %s'):format(where, tostring(message)))
end

--- Writes texts at the end.
-- @string where the start of messages
-- @string ... texts
function LogFile:write(where, ...)
  if not self.file then open(self, where, self.bytes > 0 and 'ab' or 'wb') end
  append(where, self.name, self.file, ...)
  for i = 1, select('#', ...) do self.bytes = self.bytes + #select(i, ...) end
end

--- Shortens the file; the next write continues there. A file that is shorter stays as it is.
-- @string where the start of messages
-- @int bytes
-- @treturn bool whether there are bytes
function LogFile:rewind(where, bytes)
  self:close()
  local file = io.open(self.name, 'rb')
  local text = file and file:read(bytes) or ''
  local rest = file and file:read(1)
  if file then file:close() end
  if rest then atomic.text(where, self.name, text) end
  self.bytes = #text
  return #text > 0
end

--- Closes the file.
function LogFile:close()
  if self.file then self.file:close() end
  self.file = nil
end

return LogFile
