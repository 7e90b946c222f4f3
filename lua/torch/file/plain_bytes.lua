--- Values as bytes for other processes: the format of torch.save without functions, since loading one would run a process's code in
-- another.
-- @module torch.file.plain_bytes
local torch = require 'torch'
assert(torch.File)      -- loads the files of the format
local Memory, oneObject = require 'torch.file.memory_channel', require 'torch.file.one_object'

local plainBytes = {}

local plain = { functions = false }

--- Writes a value.
-- @string name for messages
-- @param value any value that torch.save accepts without functions
-- @treturn torch.ByteStorage which may be longer
-- @treturn int number of bytes
-- @raise for a function, a thread or another value without a form in files: where it is in the value
function plainBytes.write(name, value)
  local channel = Memory.ofStorage(torch.ByteStorage(), 0)
  local good, problem = pcall(oneObject.write, channel, name, value, 'binary', plain)
  if not good then
    local kind, path = tostring(problem):match '^Unwritable object <(.-)> at (.*)$'
    error(kind and ('%s: a %s, expected values that torch.save accepts, without functions'):format(path, kind) or problem, 0)
  end
  return channel:storage(torch.ByteStorage), channel:size()
end

--- Reads a value.
-- @string name for messages
-- @tparam torch.ByteStorage storage
-- @int size number of bytes
-- @treturn bool whether it was read completely
-- @return the value, or the error's message
function plainBytes.read(name, storage, size) return oneObject.read(Memory.ofStorage(storage, size), name, 'binary', plain) end

return plainBytes
