--- Writes a file atomically: at any moment either the old or the new one exists, even if the program is killed.
-- The new file has no name while it grows if the system supports that (Linux's O_TMPFILE), so that an interrupted save leaves nothing
-- behind; else it has a temporary name in the target's folder. When it is completely on the disk, it is renamed.
-- @module torch.file.atomic
local class = require 'torch.class'
local libc = require 'torch.file.libc'
local Disk = require 'torch.file.disk_channel'

local atomic = {}

local ourPlace = '^[^:\n]*/torch/[%w_/]+%.lua:%d+: '      -- library positions in errors don't help the user

local names = 0          -- number of temporary file names so far

local function folderOf(path) return path:match('^.*/') or './' end

-- Calls f with names for a temporary file in the target's folder until one is free. Returns f's result, and the name.
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

-- Returns a channel to write to, and its name if it has one.
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
      assert(libc.setPermissions(channel:descriptor(), old.permissions))      -- last, because a new owner removes some
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

-- Devices and pipes are written directly.
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

-- Returns the target of a name, following symbolic links, even to files that don't exist yet.
local function followed(name)
  for _ = 1, 40 do                                                   -- Linux's limit
    local target = libc.realpath(name)
    if target then return target end
    local to = libc.readlink(name)
    if not to then return name end
    name = to:sub(1, 1) == '/' and to or folderOf(name) .. to
  end
  return nil
end

--- Replaces or creates a file. It keeps its permissions, and its owner if the system allows that; symbolic links are followed, even to a
-- file that doesn't exist yet.
-- @string op the start of messages
-- @string name file
-- @tparam function write gets a channel (`torch.file.memory_channel`) and raises errors
-- @raise `op: name: message`
function atomic.write(op, name, write)
  if type(name) ~= 'string' then error(('%s: name: %s, expected a string'):format(op, class.type(name)), 3) end
  local target, old = followed(name), libc.stat(name)
  if not target then error(('%s: %s: too many levels of symbolic links'):format(op, name), 3) end
  local good, message
  if old and not old.regular and not old.directory then
    good, message = pcall(writeInPlace, name, write)      -- /dev/stdout may lead to a pipe, which has no name
  else
    good, message = pcall(replace, target, old, write)
  end
  if not good then error(('%s: %s: %s'):format(op, name, (tostring(message):gsub(ourPlace, ''))), 3) end
end

--- Replaces or creates a file with a text, like `write`.
-- @string op the start of messages
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
