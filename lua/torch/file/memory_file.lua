--- torch.MemoryFile: a file in a CharStorage. Defaults: ascii, with spaces, pedantic and referenced.
-- @classmod torch.MemoryFile
local class = require 'torch.class'
local refuse = require('torch.check').raise
local handle = require 'torch.file.handle'
local Memory = require 'torch.file.memory_channel'

--- Adds class torch.MemoryFile to torch.
-- @tparam table torch
-- @tparam table File the methods of all files
return function(torch, File)
  local metatable
  local MemoryFile = setmetatable({}, File)
  MemoryFile.__index = MemoryFile

  local function checkMode(mode)
    if mode ~= 'r' and mode ~= 'w' and mode ~= 'rw' then refuse "file mode should be 'r','w' or 'rw'" end
    return mode
  end

  -- @tparam[opt] string|torch.CharStorage first mode, or the contents, which end with a NUL and are shared, not copied
  -- @string[opt='rw'] mode 'r', 'w' or 'rw', after a storage
  local function newFile(first, mode)
    local channel
    if type(first) == 'string' or first == nil then
      mode = checkMode(first or mode or 'rw')
      channel = Memory.new()
    else
      mode = checkMode(mode or 'rw')
      if class.type(first) ~= 'torch.CharStorage' then
        refuse('torch.MemoryFile: storage: ' .. class.type(first) .. ', expected a torch.CharStorage')
      end
      local size = first:size()
      if size == 0 or first[size] ~= 0 then refuse 'torch.MemoryFile: storage: must be terminated by 0' end
      channel = Memory.ofStorage(first, mode == 'w' and 0 or size - 1)
    end
    return handle.of(MemoryFile:_new(channel, 'memory', mode, metatable):allowFunctions(true))      -- memory contents are trusted
  end

  -- No factory: an open file cannot be saved.
  metatable = class.newmetatable('torch.MemoryFile', 'torch.File', newFile, nil, nil, torch)

  --- Returns the contents and a NUL as a CharStorage, which the file continues to use.
  function MemoryFile:storage()
    if not self._channel then error('attempt to use a closed file', 3) end
    return self._channel:storage(torch.CharStorage)
  end

  MemoryFile.__tostring__ = handle.describe 'torch.MemoryFile [status: $status -- mode: $mode]'
  handle.publish(metatable, MemoryFile)
end
