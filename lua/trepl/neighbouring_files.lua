--- Files of several formats in the folder of the file that requires them.
-- @module trepl.neighbouring_files
local modules = require 'torch.modules'

--- Loaders of files by their ending.
local loaders = {
  lua = function(path, name) return assert(loadfile(path))(name) end,
  th = function(path) return require 'torch'.load(path) end,
  net = function(path)
    require 'nn'
    return require 'torch'.load(path)
  end,
  json = function(path)
    local file = assert(io.open(path, 'rb'))
    local text = file:read '*a'
    file:close()
    return require 'cjson'.decode(text)
  end,
  csv = function(path) return require 'csvigo'.load(path) end,
  so = function(path)
    local name = path:match '([^/]+)%.%w+$'
    return assert(package.loadlib(path, 'luaopen_' .. name))(name)
  end,
}
loaders.dylib = loaders.so

local function exists(path)
  local file = io.open(path, 'rb')
  -- A folder can be opened on Linux, but not read.
  local readable = file and (file:read(0) or file:seek 'end' == 0)
  if file then file:close() end
  return readable
end

local here = debug.getinfo(1, 'S').source:match '^(.*/)'

--- The stack level, in the calling function, of the call from outside th's files (`import` also calls require).
local function callersLevel()
  local level = 3
  local info = debug.getinfo(level, 'S')
  while info and info.source:sub(1, #here) == here do
    level = level + 1
    info = debug.getinfo(level, 'S')
  end
  return level - 1
end

--- The folder and the file at a stack level of the caller, or of the code that called it through pcall; the current folder for
-- typed text.
local function folderAt(level)
  level = level + 1
  local info = debug.getinfo(level, 'S')
  while info and info.what == 'C' do
    level = level + 1
    info = debug.getinfo(level, 'S')
  end
  local source = info and info.source:match '^@(.*)$'
  local folder = source and source:match '^(.*/)[^/]*$' or './'
  return folder, source and folder .. source:match '[^/]*$'
end

--- Loads the file that `base` names, with its ending or one from the list, but not the requiring file: an `optim.lua`
-- that requires optim means another file.
-- @return whether there was one, and its result
local function loadFile(base, asking)
  local ending = base:match '%.(%w+)$'
  local tries = { { base .. '.lua', 'lua' } }
  if ending and loaders[ending] then tries[#tries + 1] = { base, ending } end
  tries[#tries + 1] = { base, 'lua' }
  for _, other in ipairs { 'th', 'net', 'json', 'csv', 'so', 'dylib' } do tries[#tries + 1] = { base .. '.' .. other, other } end
  tries[#tries + 1] = { base .. '/init.lua', 'lua' }
  for _, try in ipairs(tries) do
    if try[1] ~= asking and exists(try[1]) then return true, loaders[try[2]](try[1]) end
  end
  return false
end

-- A module of a package whose name a program may also use: a program's file next to the requiring file, next to the script, or on the
-- path of the usual `require` comes before Moontorch's. A data.lua that requires data means Moontorch's.
local function contested(name, plainRequire, folder, asking)
  local script = rawget(_G, 'arg') and arg[0]
  local file, kind = modules.programsFile(name, asking, { folder, type(script) == 'string' and script:match '^(.*/)' or './' })
  if not file then
    local value = require(name)
    if package.loaded[name] == nil then package.loaded[name] = value end
    return value
  end
  if kind == 'cpath' then return plainRequire(name) end
  local value = loaders.lua(file, name)
  package.loaded[name] = value == nil and (package.loaded[name] or true) or value
  return package.loaded[name]
end

--- Loads a file next to the file that requires it.
-- @string name the required name: with a dot in front, or one that the usual require doesn't find
-- @tparam function plainRequire the usual require
-- @return the contents of the file
-- @raise the error of the usual require if nothing is found
return function(name, plainRequire)
  local level = callersLevel()
  if name:sub(1, 1) == '.' then
    local folder, asking = folderAt(level)
    local found, value = loadFile(folder .. name, asking)
    if not found then error("module '" .. name .. "' not found next to the file that requires it", level) end
    return value
  end
  local folder, asking = folderAt(level)
  if modules.givesWay(name) then return contested(name, plainRequire, folder, asking) end
  local ok, value = pcall(plainRequire, name)
  if ok then return value end
  if not name:find '^/' then
    local found, relative = loadFile(folder .. name, asking)
    if found then return relative end
  end
  error(value, level)
end
