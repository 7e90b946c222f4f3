--- Files, folders and their names.
-- @module paths
local names = require 'paths.names'
local system = require 'paths.system'
local libc = require 'torch.file.libc'

local paths = { basename = names.basename, dirname = names.dirname, extname = names.extname, concat = names.concat }
rawset(_G, 'paths', paths)

--- $HOME, or '.'.
paths.home = os.getenv('HOME') or '.'

--- The current folder.
paths.cwd = system.cwd

--- System name, host name and machine type.
paths.uname = system.uname

local function asText(op, value)
  if type(value) == 'number' then return tostring(value) end
  if type(value) ~= 'string' then error(('paths.%s: path: %s, expected a string'):format(op, type(value)), 3) end
  return value
end

--- Whether a path exists and is no folder; links are followed.
function paths.filep(path)
  path = asText('filep', path)
  local found = system.stat(path)
  return found ~= nil and not found.directory
end

--- Whether a path exists and is a folder; links are followed.
function paths.dirp(path)
  path = asText('dirp', path)
  local found = system.stat(path)
  return found ~= nil and found.directory
end

--- The names in a folder, '.' and '..' too, in no order; nil if it cannot be read.
function paths.dir(folder)
  folder = asText('dir', folder)
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

--- Iterates over the names in a folder, '.' and '..' too.
-- @string folder a missing one has no names
-- @tparam[opt] string|function filter a Lua pattern, or a function of the name
function paths.files(folder, filter)
  folder = asText('files', folder)
  return iterate(folder, filterOf(filter))
end

--- Iterates over the names of the folders in a folder.
function paths.iterdirs(folder)
  folder = asText('iterdirs', folder)
  return iterate(folder, function(name) return name ~= '.' and name ~= '..' and paths.dirp(folder .. '/' .. name) end)
end

--- Iterates over the names of what is no folder in a folder.
function paths.iterfiles(folder)
  folder = asText('iterfiles', folder)
  return iterate(folder, function(name) return paths.filep(folder .. '/' .. name) end)
end

--- Makes a folder, and those above it that are missing.
-- @treturn ?bool true, or nil, message and error number (an existing folder is a failure)
function paths.mkdir(path)
  path = asText('mkdir', path)
  local above = names.dirname(path)
  if above ~= path and not system.stat(above) then
    local good, message, number = paths.mkdir(above)
    if not good then return nil, message, number end
  end
  return system.mkdir(path)
end

--- Removes an empty folder. True, or nil, message and error number.
function paths.rmdir(path)
  path = asText('rmdir', path)
  return system.rmdir(path)
end

local function removeAll(path)
  -- A link goes itself, never what it leads to: unlink is tried first and fails for folders only.
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

--- Removes a file, or a folder with everything in it.
-- @string path
-- @string really 'yes'
-- @treturn ?bool true, or nil, message and the path that could not be removed
function paths.rmall(path, really)
  path = asText('rmall', path)
  if really ~= 'yes' then return nil, "missing second argument: 'yes'" end
  return removeAll(path)
end

local temporaryNames = {}
local cleaner = newproxy(true)      -- lives as long as `tmpname` does: till the Lua state closes
getmetatable(cleaner).__gc = function()
  for _, name in ipairs(temporaryNames) do os.remove(name) end
end

--- A fresh name for a temporary file, which is removed when the Lua state closes.
function paths.tmpname()
  local folder = os.getenv('TMPDIR') or '/tmp'
  for i = #temporaryNames + 1, #temporaryNames + 1000 do
    local name = ('%s/luatmp%d-%d'):format(folder, libc.pid(), i)
    if cleaner and not system.stat(name) then
      table.insert(temporaryNames, name)
      return name
    end
  end
end

--- Whether the system is Windows: truthy or nil.
function paths.is_win() return (system.uname():match('Windows')) end

--- Whether it is a Mac: truthy or nil.
function paths.is_mac() return (system.uname():match('Darwin')) end

--- Windows' registry, on Windows.
-- @raise elsewhere
function paths.getregistryvalue() error('getregistryvalue: exists only on windows', 2) end

--- The folder of the running interpreter.
function paths.execdir()
  local program = libc.realpath('/proc/self/exe')
  return program and names.dirname(program)
end

--- The absolute path of the file whose code calls this, or of `name` in that file's folder.
-- @string[opt] name
-- @int[opt=2] depth level of debug.getinfo: 2 is the caller
-- @treturn ?string nil, or name unchanged, when the code comes from no file
function paths.thisfile(name, depth)
  local source = debug.getinfo(depth or 2, 'S').source
  if source:sub(1, 1) ~= '@' then return name end
  local file = names.concat(source:sub(2))
  if not name then return file end
  return names.concat(names.dirname(file), name)
end

--- Runs a file of the caller's folder.
-- @string name
-- @int[opt=2] depth level of debug.getinfo: 2 is the caller
function paths.dofile(name, depth)
  name = asText('dofile', name)
  local file = paths.thisfile(name, (depth or 2) + 1)
  return dofile(file)
end

--- The full path of the first program that is in a folder of $PATH, or nil.
-- @tparam string ... names
function paths.findprogram(...)
  for _, program in ipairs { ... } do
    for folder in (os.getenv('PATH') or ''):gmatch('[^:]+') do
      local path = names.concat(folder, program)
      if paths.filep(path) then return path end
    end
  end
end

--- Loads a C module with its symbols visible to libraries loaded later.
-- @string name as for require
function paths.require(name)
  name = asText('require', name)
  if package.loaded[name] then return package.loaded[name] end
  local tried = {}
  for pattern in package.cpath:gmatch('[^;]+') do
    local file = pattern:gsub('%?', (name:gsub('%.', '/')))
    if paths.filep(file) then
      local loaded, library = pcall(require('ffi').load, file, true)
      if not loaded then error('paths.require: cannot load ' .. file .. ': ' .. tostring(library), 2) end
      local open, message = package.loadlib(file, 'luaopen_' .. name:gsub('%.', '_'))
      if not open then error('paths.require: no symbol: ' .. message, 2) end
      local value = open(name)
      package.loaded[name] = value == nil and (package.loaded[name] or true) or value
      return package.loaded[name]
    end
    table.insert(tried, "\n\tno file '" .. file .. "'")
  end
  error("paths.require: module '" .. name .. "' not found:" .. table.concat(tried), 2)
end

return paths
