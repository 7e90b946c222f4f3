--- torch.PipeFile: a pipe to a shell command, with DiskFile's methods.
-- @classmod torch.PipeFile
local class = require 'torch.class'
local refuse = require('torch.check').raise
local handle = require 'torch.file.handle'
local Disk = require 'torch.file.disk_channel'

--- Adds class torch.PipeFile to torch.
-- @tparam table torch
-- @tparam table DiskFile the methods of files on disk
return function(torch, DiskFile)
  local metatable
  local PipeFile = setmetatable({}, DiskFile)
  PipeFile.__index = PipeFile

  -- @string command for the shell
  -- @string[opt='r'] mode 'r' reads the command's output, 'w' writes its input
  -- @bool[opt] quiet returns nil instead of an error if the command cannot be started
  local function newFile(command, mode, quiet)
    mode = mode or 'r'
    if type(command) ~= 'string' then refuse('torch.PipeFile: command: ' .. class.type(command) .. ', expected a string') end
    if mode ~= 'r' and mode ~= 'w' then refuse "file mode should be 'r' or 'w'" end
    local channel, message = Disk.openPipe(command, mode)
    if not channel then
      if quiet then return nil end
      refuse(('cannot open <%s> in mode %s: %s'):format(command, mode, message))
    end
    local file = PipeFile:_new(channel, command, mode, metatable)
    file._quiet = quiet == true
    return handle.of(file)
  end

  -- No factory: an open pipe cannot be saved.
  metatable = class.newmetatable('torch.PipeFile', 'torch.DiskFile', newFile, nil, nil, torch)

  PipeFile.__tostring__ = handle.describe 'torch.PipeFile on <$name> [status: $status -- mode: $mode]'
  handle.publish(metatable, PipeFile)
end
