--- The require of th: besides modules it loads files relative to the file that asks, as Torch7 programs expect.
-- @module trepl.require
local plainRequire = require

--- How a file is loaded, by its ending.
local loaders = {
  lua = function(path) return assert(loadfile(path))() end,
  th = function(path) return plainRequire 'torch'.load(path) end,
  net = function(path)
    plainRequire 'nn'
    return plainRequire 'torch'.load(path)
  end,
  json = function(path)
    local file = assert(io.open(path, 'rb'))
    local text = file:read '*a'
    file:close()
    return plainRequire 'cjson'.decode(text)
  end,
  csv = function(path) return plainRequire 'csvigo'.load(path) end,
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

--- The level, in the function that asks, of the call from outside th's own files: `import` requires, too.
local function callersLevel()
  local level = 3
  local info = debug.getinfo(level, 'S')
  while info and info.source:sub(1, #here) == here do
    level = level + 1
    info = debug.getinfo(level, 'S')
  end
  return level - 1
end

--- The folder of the file at a level of our caller's, or of the one that called it through pcall; the current one for typed text.
local function folderAt(level)
  level = level + 1
  local info = debug.getinfo(level, 'S')
  while info and info.what == 'C' do
    level = level + 1
    info = debug.getinfo(level, 'S')
  end
  local source = info and info.source:match '^@(.*)$'
  return source and source:match '^(.*/)[^/]*$' or './'
end

--- Loads the file that `base` names, with an ending of its own or one that is tried.
-- @return whether there was one, and what it gave
local function loadFile(base)
  local ending = base:match '%.(%w+)$'
  local tries = { { base .. '.lua', 'lua' } }
  if ending and loaders[ending] then tries[#tries + 1] = { base, ending } end
  tries[#tries + 1] = { base, 'lua' }
  for _, other in ipairs { 'th', 'net', 'json', 'csv', 'so', 'dylib' } do tries[#tries + 1] = { base .. '.' .. other, other } end
  tries[#tries + 1] = { base .. '/init.lua', 'lua' }
  for _, try in ipairs(tries) do
    if exists(try[1]) then return true, loaders[try[2]](try[1]) end
  end
  return false
end

--- Loads a module; a name that starts with a dot is a path from the requiring file, is tried with the endings
-- lua, th, net, json, csv and so, and is loaded anew each time. Any other name is looked up as usual first.
-- @tparam string name
-- @return the module, or what the file holds
-- @raise what the usual require raises when nothing is found
local function require(name)
  if type(name) ~= 'string' then return plainRequire(name) end
  local level = callersLevel()
  if name:sub(1, 1) == '.' then
    local found, value = loadFile(folderAt(level) .. name)
    if not found then error("module '" .. name .. "' not found beside the file that requires it", level) end
    return value
  end
  -- Straight through where it will be found, so that an error inside keeps its traceback.
  if package.loaded[name] or package.preload[name] or package.searchpath(name, package.path) or package.searchpath(name, package.cpath) then
    return plainRequire(name)
  end
  local folder = folderAt(level)
  local ok, value = pcall(plainRequire, name)
  if ok then return value end
  if not name:find '^/' then
    local found, relative = loadFile(folder .. name)
    if found then return relative end
  end
  error(value, level)
end

return require
