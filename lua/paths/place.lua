--- The system, the interpreter, the calling file, programs and libraries.
-- @module paths.place
local paths = require 'paths'
local asText = require 'paths.text'
local names = require 'paths.names'
local system = require 'paths.system'
local libc = require 'torch.file.libc'
local check = require 'torch.check'

local place = {}

--- Whether the system is Windows: truthy or nil.
function place.is_win() return (system.uname():match('Windows')) end

--- Whether it is a Mac: truthy or nil.
function place.is_mac() return (system.uname():match('Darwin')) end

--- Windows' registry, on Windows.
-- @raise on other systems
function place.getregistryvalue() error('getregistryvalue: exists only on windows', 2) end

--- The folder of the running interpreter.
function place.execdir()
  local program = libc.realpath('/proc/self/exe')
  return program and names.dirname(program)
end

--- The absolute path of the calling file, or of `name` in that file's folder.
-- @string[opt] name
-- @int[opt=2] depth level of debug.getinfo: 2 is the caller
-- @treturn ?string nil, or name unchanged, if the calling code is not from a file
function place.thisfile(name, depth)
  local info = debug.getinfo(check.int('paths.thisfile', 'depth', depth or 2, { min = 0 }), 'S')
  local source = info and info.source or ''
  if source:sub(1, 1) ~= '@' then return name end
  local file = names.concat(source:sub(2))
  if not name then return file end
  return names.concat(names.dirname(file), name)
end

--- Runs a file in the caller's folder.
-- @string name
-- @int[opt=2] depth level of debug.getinfo: 2 is the caller
function place.dofile(name, depth)
  name = asText('dofile', 'path', name)
  local file = paths.thisfile(name, check.int('paths.dofile', 'depth', depth or 2, { min = 0 }) + 1)
  return require 'torch.start.lua52'.dofile(file)      -- a tail call: the file counts stack levels from here
end

--- The full path of the first program found in a folder of $PATH, or nil.
-- @tparam string ... names
function place.findprogram(...)
  for _, program in ipairs { ... } do
    for folder in (os.getenv('PATH') or ''):gmatch('[^:]+') do
      local path = names.concat(folder, asText('findprogram', 'name', program))
      if paths.filep(path) then return path end
    end
  end
end

--- Loads a C module with its symbols visible to libraries loaded later.
-- @string name as for require
function place.require(name)
  name = asText('require', 'path', name)
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

return place
