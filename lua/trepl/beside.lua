--- Files beside the one that requires them, of several kinds.
-- @module trepl.beside

--- How a file is loaded, by its ending.
local loaders = {
  lua = function(path) return assert(loadfile(path))() end,
  th = function(path, plainRequire) return plainRequire 'torch'.load(path) end,
  net = function(path, plainRequire)
    plainRequire 'nn'
    return plainRequire 'torch'.load(path)
  end,
  json = function(path, plainRequire)
    local file = assert(io.open(path, 'rb'))
    local text = file:read '*a'
    file:close()
    return plainRequire 'cjson'.decode(text)
  end,
  csv = function(path, plainRequire) return plainRequire 'csvigo'.load(path) end,
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

--- The folder of the file at a level of our caller's, or of the one that called it through pcall, and the file; the current folder for
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

--- Loads the file that `base` names, with an ending of its own or one that is tried, but not the one that asks: what is called `optim.lua`
-- and requires optim means another.
-- @return whether there was one, and what it gave
local function loadFile(base, asking, plainRequire)
  local ending = base:match '%.(%w+)$'
  local tries = { { base .. '.lua', 'lua' } }
  if ending and loaders[ending] then tries[#tries + 1] = { base, ending } end
  tries[#tries + 1] = { base, 'lua' }
  for _, other in ipairs { 'th', 'net', 'json', 'csv', 'so', 'dylib' } do tries[#tries + 1] = { base .. '.' .. other, other } end
  tries[#tries + 1] = { base .. '/init.lua', 'lua' }
  for _, try in ipairs(tries) do
    if try[1] ~= asking and exists(try[1]) then return true, loaders[try[2]](try[1], plainRequire) end
  end
  return false
end

--- Loads a file that lies beside the one that requires it.
-- @string name what was required: with a dot in front, or what the usual require does not find
-- @tparam function plainRequire the usual one
-- @return what the file holds
-- @raise what the usual require raises when nothing is found
return function(name, plainRequire)
  local level = callersLevel()
  if name:sub(1, 1) == '.' then
    local folder, asking = folderAt(level)
    local found, value = loadFile(folder .. name, asking, plainRequire)
    if not found then error("module '" .. name .. "' not found beside the file that requires it", level) end
    return value
  end
  local folder, asking = folderAt(level)
  local ok, value = pcall(plainRequire, name)
  if ok then return value end
  if not name:find '^/' then
    local found, relative = loadFile(folder .. name, asking, plainRequire)
    if found then return relative end
  end
  error(value, level)
end
