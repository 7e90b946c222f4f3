--- What methods of files go through on their way to the channel: whether it is open for that, elements in the file's encoding, and errors
-- of the file, at the line that called the method. Each function is called by a method, and by nothing in between, unless it says so.
-- @module torch.file.access
local damage = require 'torch.file.damage'

local access = {}

-- Levels from `error` to the caller of a method: the function here, the method, and the handle's (`torch.file.handle`).
local CALLER = 4

--- The channel of a file that is open.
function access.open(file)
  if not file._channel then error('attempt to use a closed file', CALLER) end
  return file._channel
end

--- The channel of a file that is open for reading.
function access.forReading(file)
  if not file._channel then error('attempt to use a closed file', CALLER) end
  if not file._readable then error('attempt to read in a write-only file', CALLER) end
  return file._channel
end

--- The channel of a file that is open for writing.
function access.forWriting(file)
  if not file._channel then error('attempt to use a closed file', CALLER) end
  if not file._writable then error('attempt to write in a read-only file', CALLER) end
  return file._channel
end

--- An error that a quiet file only remembers.
-- @tparam table file its state
-- @string message
-- @int[opt=0] depth functions between the method and this one
function access.fail(file, message, depth)
  file._failed = true
  if not file._quiet then error(message, CALLER + (depth or 0)) end
end
local fail = access.fail

--- Fewer elements than wanted: damage while an object is read, else an error of the file. One function is between the method and this one.
-- @tparam table file its state
-- @tparam table kind of the elements
-- @int at position, counted from 0, of the first one
-- @int n how many were wanted
-- @int count how many there are
-- @string[opt] found what else is there
function access.shortRead(file, kind, at, n, count, found)
  if file._loading then
    local expected = n == 1 and kind.phrase or n .. ' ' .. kind.name:lower() .. 's'
    damage.raise(at + 1, expected, found or count == 0 and 'the end of the file' or 'only ' .. count)
  end
  fail(file, ('read error: read %d blocks instead of %d'):format(count, n), 2)
end
local shortRead = access.shortRead

--- Reads n elements to p.
-- @treturn int how many there were
function access.readElements(file, kind, p, n)
  local at = file._channel:position()
  local count, found = file._encoding.read(file, kind, p, n)
  if count < n then shortRead(file, kind, at, n, count, found) end
  return count
end

--- Writes n elements from p.
-- @treturn int how many were written
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
