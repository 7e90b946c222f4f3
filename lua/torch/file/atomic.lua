--- Writing a file so that at any moment there is the old one or the new one, whatever kills the program.
-- The new one grows without a name where the system can do that (Linux's O_TMPFILE), so that nothing is left of a save that was cut
-- short; else under a name of its own beside the target. It is renamed when all of it is on the disk.
-- @module torch.file.atomic
local class = require 'torch.class'
local libc = require 'torch.file.libc'
local Disk = require 'torch.file.disk_channel'

local atomic = {}

local ourPlace = '^[^:\n]*/torch/[%w_/]+%.lua:%d+: '      -- the line of ours that an error came from says nothing to the user

local names = 0          -- numbers temporary files

local function folderOf(path) return path:match('^.*/') or './' end

-- Calls f with names for a temporary file beside the target until one is free. What f returned then, and the name.
local function withNewName(target, f)
  local value, message, code
  for _ = 1, 100 do
    names = names + 1
    local name = ('%s.torch-save-%d-%d.tmp'):format(folderOf(target), libc.pid(), names)
    value, message, code = f(name)
    if value then return value, name end
    if code ~= libc.taken then break end
  end
  return nil, message
end

-- A channel to write to, and its name if it has one.
local function openTemporary(target)
  local channel = Disk.open(folderOf(target), 'nameless')
  if channel then return channel, nil end
  local name
  channel, name = withNewName(target, function(new) return Disk.open(new, 'new') end)
  if not channel then error(name, 0) end
  return channel, name
end

local function replace(target, old, write)
  local channel, temporary = openTemporary(target)
  channel:syncEarly()
  local good, message = pcall(function()
    if old then
      libc.setOwner(channel:descriptor(), old.user, old.group)
      assert(libc.setPermissions(channel:descriptor(), old.permissions))      -- last: a new owner drops some
    end
    write(channel)
    assert(channel:flush())
    assert(libc.sync(channel:descriptor()))
    if not temporary then
      local linked
      linked, temporary = withNewName(target, function(new) return libc.link(channel:descriptor(), new) end)
      if not linked then error(temporary, 0) end
    end
  end)
  local closed, problem = channel:close()
  if good and not closed then good, message = false, problem end
  if good then good, message = libc.rename(temporary, target) end
  if not good then
    if temporary then libc.remove(temporary) end
    error(message, 0)
  end
  libc.syncFolder(folderOf(target))
end

-- Devices and pipes are written straight.
local function writeInPlace(name, write)
  local channel, message = Disk.open(name, 'w')
  if not channel then error(message, 0) end
  local good, problem = pcall(function()
    write(channel)
    assert(channel:flush())
  end)
  channel:close()
  if not good then error(problem, 0) end
end

-- Where a name leads to, by way of symbolic links, also to what isn't there yet.
local function followed(name)
  for _ = 1, 40 do                                                   -- as many as Linux follows
    local target = libc.realpath(name)
    if target then return target end
    local to = libc.readlink(name)
    if not to then return name end
    name = to:sub(1, 1) == '/' and to or folderOf(name) .. to
  end
  return nil
end

--- Replaces a file, or makes it. Its permissions stay, and its owner where the system allows that; a symbolic link is followed, also one
-- to a file that isn't there yet.
-- @string op what messages begin with
-- @string name file
-- @tparam function write is given a channel (`torch.file.memory_channel`) and raises what goes wrong
-- @raise `op: name: message`
function atomic.write(op, name, write)
  if type(name) ~= 'string' then error(('%s: name: %s, expected a string'):format(op, class.type(name)), 3) end
  local target, old = followed(name), libc.stat(name)
  if not target then error(('%s: %s: too many levels of symbolic links'):format(op, name), 3) end
  local good, message
  if old and not old.regular and not old.directory then
    good, message = pcall(writeInPlace, name, write)      -- /dev/stdout leads to a pipe, which has no name of its own
  else
    good, message = pcall(replace, target, old, write)
  end
  if not good then error(('%s: %s: %s'):format(op, name, (tostring(message):gsub(ourPlace, ''))), 3) end
end

--- Replaces a file by a text, or makes it, as `write` does.
-- @string op what messages begin with
-- @string name file
-- @string text
-- @raise `op: name: message`
function atomic.text(op, name, text)
  local function put(channel)
    local _, message = channel:write(text, #text)
    if message then error(message, 0) end
  end
  atomic.write(op, name, put)
end

return atomic
