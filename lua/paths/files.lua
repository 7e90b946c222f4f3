--- Files and folders: tests, listing, creation and removal.
-- @module paths.files
local paths = require 'paths'
local asText = require 'paths.text'
local names = require 'paths.names'
local system = require 'paths.system'

local files = {}

--- Whether a path exists and is not a folder; follows links.
function files.filep(path)
  path = asText('filep', 'path', path)
  local found = system.stat(path)
  return found ~= nil and not found.directory
end

--- Whether a path exists and is a folder; follows links.
function files.dirp(path)
  path = asText('dirp', 'path', path)
  local found = system.stat(path)
  return found ~= nil and found.directory
end

--- The names in a folder, including '.' and '..', unsorted; nil if it cannot be read.
function files.dir(folder)
  folder = asText('dir', 'path', folder)
  return system.list(folder)
end

local function filterOf(filter)
  if filter == nil then return function() return true end end
  if type(filter) == 'function' then return filter end
  if type(filter) == 'string' then return function(name) return name:find(filter) end end
  error('Expecting optional arg 2 to be function or string. Got : ' .. type(filter), 3)
end

local function iterate(folder, accept)
  local list, i = system.list(folder) or {}, 0
  return function()
    repeat i = i + 1 until list[i] == nil or accept(list[i])
    return list[i]
  end
end

--- Iterates over the names in a folder, including '.' and '..'.
-- @string folder a missing one has no names
-- @tparam[opt] string|function filter a Lua pattern, or a function of the name
function files.files(folder, filter)
  folder = asText('files', 'path', folder)
  return iterate(folder, filterOf(filter))
end

--- Iterates over the names of the folders in a folder.
function files.iterdirs(folder)
  folder = asText('iterdirs', 'path', folder)
  return iterate(folder, function(name) return name ~= '.' and name ~= '..' and paths.dirp(folder .. '/' .. name) end)
end

--- Iterates over the names in a folder that are not folders, including dangling links.
function files.iterfiles(folder)
  folder = asText('iterfiles', 'path', folder)
  return iterate(folder, function(name) return not paths.dirp(folder .. '/' .. name) end)
end

--- Creates a folder and its missing parents.
-- @treturn ?bool true, or nil, message and error number (an existing folder is a failure)
function files.mkdir(path)
  path = asText('mkdir', 'path', path)
  local above = names.dirname(path)
  if above ~= path and not system.stat(above) then
    local good, message, number = paths.mkdir(above)
    if not good then return nil, message, number end
  end
  return system.mkdir(path)
end

--- Removes an empty folder. True, or nil, message and error number.
function files.rmdir(path)
  path = asText('rmdir', 'path', path)
  return system.rmdir(path)
end

local function removeAll(path)
  -- Removes a link itself, never its target: tries unlink first, which fails only for folders.
  if system.unlink(path) then return true end
  if not paths.dirp(path) then return nil, 'not a file or directory', path end
  for name in paths.files(path) do
    if name ~= '.' and name ~= '..' then
      local good, message, where = removeAll(path .. '/' .. name)
      if not good then return nil, message, where end
    end
  end
  local good, message = system.rmdir(path)
  if not good then return nil, message, path end
  return true
end

--- Removes a file, or a folder with its contents.
-- @string path
-- @string really 'yes'
-- @treturn ?bool true, or nil, message and the path that could not be removed
function files.rmall(path, really)
  path = asText('rmall', 'path', path)
  if really ~= 'yes' then return nil, "missing second argument: 'yes'" end
  return removeAll(path)
end

local temporaryNames = {}
local cleaner = newproxy(true)      -- lives as long as `tmpname`: until the Lua state closes
getmetatable(cleaner).__gc = function()
  for _, name in ipairs(temporaryNames) do os.remove(name) end
end

--- A new name for a temporary file, in a subfolder of $TMPDIR or /tmp that no other user can write to. The file is removed when the Lua
-- state closes.
-- @treturn string
function files.tmpname()
  local name = cleaner and require 'libmoontorch'.temporaryName()
  table.insert(temporaryNames, name)
  return name
end

return files
