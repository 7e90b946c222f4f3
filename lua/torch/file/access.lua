--- Common steps of file methods: checks that the channel is open for the operation, reads and writes elements in the file's encoding, and
-- raises errors of the file at the line that called the method. A method calls each function directly, unless the function's comment says
-- otherwise.
-- @module torch.file.access
local damage = require 'torch.file.damage'

local access = {}

-- Levels from `error` to the caller of a method: the function here, the method, and the handle's (`torch.file.handle`).
local CALLER = 4

--- Returns the channel of an open file.
function access.open(file)
  if not file._channel then error('attempt to use a closed file', CALLER) end
  return file._channel
end

--- Returns the channel of a file that is open for reading.
function access.forReading(file)
  if not file._channel then error('attempt to use a closed file', CALLER) end
  if not file._readable then error('attempt to read in a write-only file', CALLER) end
  return file._channel
end

--- Returns the channel of a file that is open for writing.
function access.forWriting(file)
  if not file._channel then error('attempt to use a closed file', CALLER) end
  if not file._writable then error('attempt to write in a read-only file', CALLER) end
  return file._channel
end

--- Raises an error; a quiet file only records it.
-- @tparam table file its state
-- @string message
-- @int[opt=0] depth functions between the method and this one
function access.fail(file, message, depth)
  file._failed = true
  if not file._quiet then error(message, CALLER + (depth or 0)) end
end
local fail = access.fail

--- Reports fewer elements than wanted: damage while an object is read, else an error of the file. There is one function between the method
-- and this one.
-- @tparam table file its state
-- @tparam table kind of the elements
-- @int at position, counted from 0, of the first one
-- @int n number of wanted elements
-- @int count number of read elements
-- @string[opt] found what the file has instead
function access.shortRead(file, kind, at, n, count, found)
  if file._loading then
    local expected = n == 1 and kind.phrase or n .. ' ' .. kind.name:lower() .. 's'
    damage.raise(at + 1, expected, found or count == 0 and 'the end of the file' or 'only ' .. count)
  end
  fail(file, ('read error: read %d blocks instead of %d'):format(count, n), 2)
end
local shortRead = access.shortRead

--- Reads n elements to p.
-- @treturn int number of read elements
function access.readElements(file, kind, p, n)
  local at = file._channel:position()
  local count, found = file._encoding.read(file, kind, p, n)
  if count < n then shortRead(file, kind, at, n, count, found) end
  return count
end

--- Writes n elements from p.
-- @treturn int number of written elements
function access.writeElements(file, kind, p, n)
  local count, message = file._encoding.write(file, kind, p, n)
  if count == n and file._unbuffered then
    local good, problem = file._channel:flush()
    if not good then count, message = 0, problem end
  end
  if count < n then fail(file, ('write error: wrote %d blocks instead of %d: %s'):format(count, n, message), 1) end
  return count
end

return access
