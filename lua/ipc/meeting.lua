--- Files by which the nodes of a tree find their root: its address and a new secret, which only the user can read.
-- The root writes the file whole, under a temporary name, and removes it when all nodes have joined. The others trust a file only if it is
-- their user's.
-- @module ipc.meeting
local ffi = require 'ffi'
local libc, sockets = require 'torch.file.libc', require 'torch.sockets'
local now = require('torch.clock').monotonic
local secret = require 'ipc.secret'

local meeting = {}

local onlyUser, othersBits = 384, 63      -- 0600, 0077
local patience, pause = 300, 0.02         -- seconds

--- Returns a new secret, as a word.
function meeting.newSecret()
  return (secret.random(16):gsub('.', function(byte) return ('%02x'):format(byte:byte()) end))
end

--- Writes the file.
-- @string path
-- @string host
-- @int port
-- @string key the secret
function meeting.write(path, host, port, key)
  local temporary = ('%s.%s'):format(path, secret.random(8):gsub('.', function(byte) return ('%02x'):format(byte:byte()) end))
  local text = ('%s %d %s\n'):format(host, port, key)
  local fd, problem = libc.open(temporary, 'new')
  local good
  if fd then
    good, problem = libc.setPermissions(fd, onlyUser)
    if good then good = libc.write(fd, ffi.cast('const uint8_t *', text), #text) == #text end
    libc.close(fd)
    if good then good, problem = libc.rename(temporary, path) end
    if not good then libc.remove(temporary) end
  end
  if not good then error(('ipc: cannot write %s: %s'):format(path, problem or 'no room'), 0) end
end

--- Removes the file.
function meeting.remove(path) libc.remove(path) end

-- What the file says, if it is there and the user's.
local function read(path)
  local fd = libc.open(path, 'r')
  if not fd then return end
  local size = 4096
  local about, me, bytes = libc.stat(fd), libc.stat '/proc/self', ffi.new('uint8_t[?]', size)
  local isMine = about and me and about.user == me.user and bit.band(about.permissions, othersBits) == 0
  local text = ffi.string(bytes, libc.read(fd, bytes, size))
  libc.close(fd)
  if not isMine then error(('ipc: %s is not of this user alone, so it is not trusted; remove it'):format(path), 0) end
  return text:match '^(%S+) (%d+) (%x+)\n$'
end

--- Waits for the file of a root that answers, and returns what `connect` returns for it. A file that an earlier run has left leads nowhere.
-- @string path
-- @tparam function connect (host, port, key) returns a client, or nil
function meeting.find(path, connect)
  local limit = now() + patience
  while true do
    local host, port, key = read(path)
    local client = host and connect(host, tonumber(port), key)
    if client then return client end
    if now() > limit then error(('ipc: no root has joined by the file %s'):format(path), 0) end
    sockets.wait({}, pause)
  end
end

return meeting
