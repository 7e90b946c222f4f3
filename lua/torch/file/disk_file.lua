--- torch.DiskFile: a file on disk. Ascii, with spaces, pedantic and referenced until told otherwise.
-- @classmod torch.DiskFile
local ffi = require 'ffi'
local class = require 'torch.class'
local refuse = require('torch.check').raise
local handle = require 'torch.file.handle'
local Disk = require 'torch.file.disk_channel'

--- Puts class torch.DiskFile into torch and returns the methods of its states.
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
    file._quiet = quiet == true     -- a file opened quietly stays quiet
    return handle.of(file)
  end

  -- No factory: an open file cannot be saved.
  metatable = class.newmetatable('torch.DiskFile', 'torch.File', newFile, nil, nil, torch)

  --- Whether the machine keeps the low byte first.
  function metatable.isLittleEndianCPU() return little end

  --- Whether the machine keeps the high byte first.
  function metatable.isBigEndianCPU() return not little end

  --- Binary items in the byte order of the machine (the default).
  function DiskFile:nativeEndianEncoding()
    self._swapped = false
    return self
  end

  --- Binary items with the low byte first.
  function DiskFile:littleEndianEncoding()
    self._swapped = not little
    return self
  end

  --- Binary items with the high byte first.
  function DiskFile:bigEndianEncoding()
    self._swapped = little
    return self
  end

  --- Hands every write to the system at once.
  function DiskFile:noBuffer()
    self:synchronize()
    self._unbuffered = true
    return self
  end

  DiskFile.__tostring__ = handle.describe 'torch.DiskFile on <$name> [status: $status -- mode $mode]'

  handle.publish(metatable, DiskFile)
  return DiskFile
end
