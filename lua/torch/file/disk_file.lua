--- torch.DiskFile: a file on disk. Defaults: ascii, with spaces, pedantic and referenced.
-- @classmod torch.DiskFile
local ffi = require 'ffi'
local class = require 'torch.class'
local refuse = require('torch.check').raise
local handle = require 'torch.file.handle'
local Disk = require 'torch.file.disk_channel'

--- Adds class torch.DiskFile to torch and returns the methods of its states.
-- @tparam table torch
-- @tparam table File the methods of all files
return function(torch, File)
  local metatable
  local DiskFile = setmetatable({}, File)
  DiskFile.__index = DiskFile
  local little = ffi.abi 'le'

  local function newFile(name, mode, quiet)
    mode = mode or 'r'
    if type(name) ~= 'string' then refuse('torch.DiskFile: name: ' .. class.type(name) .. ', expected a string') end
    if mode ~= 'r' and mode ~= 'w' and mode ~= 'rw' then refuse "file mode should be 'r','w' or 'rw'" end
    local channel, message = Disk.open(name, mode)
    if not channel then
      if quiet then return nil end
      refuse(('cannot open <%s> in mode %s: %s'):format(name, mode, message))
    end
    local file = DiskFile:_new(channel, name, mode, metatable)
    file._quiet = quiet == true     -- a file opened as quiet remains quiet
    return handle.of(file)
  end

  -- No factory: an open file cannot be saved.
  metatable = class.newmetatable('torch.DiskFile', 'torch.File', newFile, nil, nil, torch)

  --- Returns whether the machine is little-endian.
  function metatable.isLittleEndianCPU() return little end

  --- Returns whether the machine is big-endian.
  function metatable.isBigEndianCPU() return not little end

  --- Sets the machine's byte order for binary items (the default).
  function DiskFile:nativeEndianEncoding()
    self._swapped = false
    return self
  end

  --- Sets little-endian byte order for binary items.
  function DiskFile:littleEndianEncoding()
    self._swapped = not little
    return self
  end

  --- Sets big-endian byte order for binary items.
  function DiskFile:bigEndianEncoding()
    self._swapped = little
    return self
  end

  --- Passes every write to the system immediately.
  function DiskFile:noBuffer()
    self:synchronize()
    self._unbuffered = true
    return self
  end

  DiskFile.__tostring__ = handle.describe 'torch.DiskFile on <$name> [status: $status -- mode $mode]'

  handle.publish(metatable, DiskFile)
  return DiskFile
end
