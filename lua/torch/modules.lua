--- Finds the files and libraries of Moontorch by absolute paths, for Moontorch's own files.
-- Each Moontorch file starts with a local `require`, which this loader prepends to the file's text. This `require` looks for Moontorch's
-- modules where Moontorch is installed, and for all others in absolute entries of package.path and package.cpath: never in the current
-- folder. Programs use the global `require`. It calls `modules.search` instead of LuaJIT's search of package.path. For packages that Torch7
-- had, Moontorch's files have priority; for the others (`givesWay`), the program's.
-- @module torch.modules
local given = select(2, ...)
local registry, key = debug.getregistry(), 'moontorch.modules'
if registry[key] then return registry[key] end

-- The globals of Moontorch's files: Lua's standard functions as they are now, so that a program may reassign their names (`unpack = nil`).
-- All other globals are the program's.
local standard = {}
for name in ([[
  assert collectgarbage coroutine debug dofile error getfenv getmetatable io ipairs jit load loadfile loadstring math next os package pairs
  pcall rawequal rawget rawset select setfenv setmetatable string table tonumber tostring type unpack xpcall
]]):gmatch '%S+' do
  standard[name] = _G[name]
end
setmetatable(standard, { __index = _G, __newindex = _G })
setfenv(1, standard)

local modules = {}
local loaded, preload = package.loaded, package.preload

-- The program's `require` prefers a program's file of a name in `givesWay`. Moontorch's files still get Moontorch's package, which is in
-- package.loaded under a separate name.
local givesWay, prefix = {}, 'moontorch.'

if type(given) ~= 'table' then given = {} end

-- The folder that contains torch/modules.lua, with a slash at its end; nil if the files are part of a program, in package.preload.
local folder = given.folder and given.folder .. '/'
if not folder and not preload['torch.modules'] then folder = debug.getinfo(1, 'S').source:match '^@(.-)torch/modules%.lua$' end
if folder then
  dofile(folder .. 'torch/start/luajit.lua')
  loaded['torch.start.luajit'], loaded['torch.distribution'] = true, dofile(folder .. 'torch/distribution.lua')
  givesWay = loaded['torch.distribution'].givesWay
else
  require 'torch.start.luajit'
end

--- Returns the absolute path of an existing file or folder.
-- @string path
-- @treturn ?string
function modules.realpath(path)
  local ffi = require 'ffi'
  ffi.cdef 'char *mt_modules_realpath(const char *path, char *resolved) asm("realpath"); void mt_modules_free(void *) asm("free");'
  local resolved = ffi.C.mt_modules_realpath(path, nil)
  if resolved == nil then return nil end
  local text = ffi.string(resolved)
  ffi.C.mt_modules_free(resolved)
  return text
end

if folder and folder:sub(1, 1) ~= '/' then folder = modules.realpath(folder == '' and '.' or folder) .. '/' end

local noFilesLeft = { [23] = true, [24] = true }      -- ENFILE, EMFILE: existing files can't be opened

--- Returns the text of a file; nil if it does not exist.
-- @string path
-- @treturn ?string
-- @raise if it can't be opened because too many files are open
function modules.read(path)
  local file, problem, code = io.open(path, 'rb')
  if noFilesLeft[code] then error(problem, 0) end
  local text = file and file:read '*a'      -- nil for a folder
  if file then file:close() end
  return text
end

local read = modules.read

--- Returns the entries of a search path that don't depend on the current folder.
-- @string path
-- @treturn string
function modules.absolute(path)
  local kept = {}
  for entry in path:gmatch '[^;]+' do
    if entry:sub(1, 1) == '/' then kept[#kept + 1] = entry end
  end
  return table.concat(kept, ';')
end

-- Name of a module -> its name in package.loaded.
local keys = setmetatable({}, { __index = function(t, name)
  t[name] = givesWay[name:match '^[^.]*'] and prefix .. name or name
  return t[name]
end })

local start = "require 'torch.modules'.require(...)"      -- the beginning of each package of Moontorch
local homes = {}      -- package -> the folder that contains its folder

-- Returns the location of a package of Moontorch: next to torch, or in another tree of rocks. The first call also returns the text of its
-- init.lua. Returns nil for any other package.
local function homeOf(name)
  local home = homes[name]
  if home ~= nil or not folder then return home end
  local text = read(folder .. name .. '/init.lua')
  if text and text:find(start, 1, true) then
    home = folder
  else
    for entry in modules.absolute(package.path):gmatch '([^;?]+)%?/init%.lua' do
      text = not home and read(entry .. name .. '/init.lua')
      if text and text:find(start, 1, true) then home = entry end
    end
  end
  homes[name] = home
  return home, text
end

-- Returns the file of a Moontorch module, and its text; nil for any other module.
local function fileOf(name)
  local root = name:match '^[^.]*'
  local home, first = homeOf(root)
  if not home then return nil end
  if first and name == root then return home .. name .. '/init.lua', first end
  local path = home .. name:gsub('%.', '/')
  local endings = root == name and { '/init.lua', '.lua' } or { '.lua', '/init.lua' }
  for _, ending in ipairs(endings) do
    local text = read(path .. ending)
    if text then return path .. ending, text end
  end
end

--- Returns the possible paths of Moontorch's native library: in this installation, or in absolute entries of package.cpath.
-- @treturn string entries, as of package.cpath
local function libraryPath()
  if given.libraries then return given.libraries end
  local tree = folder and (folder:match '^(.*)/share/lua/5%.1/$' or folder:match '^(.*)/share/moontorch/lua/$')
  local own = tree and ('%s/lib/lua/5.1/?.so;%s/lib64/lua/5.1/?.so;%s/lib/?.so;%s/lib64/?.so;'):gsub('%%s', tree) or ''
  return own .. modules.absolute(package.cpath)
end

-- Returns the function that opens a C module.
local function open(name, library)
  local opens, why = package.loadlib(library, 'luaopen_' .. name:gsub('^.*%-', ''):gsub('%.', '_'))
  return opens or error(("error loading module '%s' from file '%s':\n\t%s"):format(name, library, why), 0)
end

local function openLibrary(name)
  local file, tried = package.searchpath('libmoontorch', libraryPath())
  return file and open(name, file) or error(("module '%s' not found:%s\n\t(relative entries of package.cpath are not used for it)")
    :format(name, tried), 0)
end

local function compileFile(name, file)
  local chunk, problem = loadfile(file)
  if not chunk then chunk, problem = modules.require 'torch.start.lua52'.loadfile(file) end
  return chunk or error(("error loading module '%s' from file '%s':\n\t%s"):format(name, file, problem), 0)
end

-- Compiles a Moontorch file with a separate `require` as a local variable, and Lua's standard functions as globals.
local function compileOwn(name, text, file)
  local chunk, problem = loadstring('local _, require = ... ' .. text, '@' .. file)
  if not chunk then error(("error loading module '%s' from file '%s':\n\t%s"):format(name, file, problem), 0) end
  return setfenv(chunk, standard)
end

-- For a program that contains the files itself: returns the function that its `require` would call.
local function programsLoader(name)
  local tried = {}
  for _, loader in ipairs(package.loaders) do
    local found = loader(name)
    if type(found) == 'function' then return found end
    tried[#tried + 1] = found
  end
  error(("module '%s' not found:%s"):format(name, table.concat(tried)), 0)
end

-- Returns the function that creates a module for Moontorch's files.
local function loaderOf(name)
  if not folder then return programsLoader(name) end
  if preload[name] then return preload[name] end
  if name:find '^libmoontorch%f[.%z]' then return openLibrary(name) end
  local own, text = fileOf(name)
  if own then return compileOwn(name, text, own) end
  local file, problem = package.searchpath(name, modules.absolute(package.path))
  if file then return compileFile(name, file) end
  local library, tried = package.searchpath(name, modules.absolute(package.cpath))
  return library and open(name, library) or error(("module '%s' not found:%s%s"):format(name, problem, tried), 0)
end

--- Returns whether a value of package.loaded is a module, and not LuaJIT's mark for a module that is being loaded: a pointer, of a type
-- that depends on the version.
function modules.isModule(value)
  local kind = type(value)
  return kind == 'table' or kind == 'function' or kind == 'boolean' or kind == 'string'
end

local require

local loading = {}

-- Creates a module. If its file puts the module into package.loaded itself, modules that it requires find it there.
local function load(name, make)
  local mine = keys[name]
  if loading[mine] then error(("loop in the files that make module '%s'"):format(name), 0) end
  make = make or loaderOf(name)
  loading[mine] = true
  local made, value = pcall(make, name, require)
  loading[mine] = nil
  if not made then error(value, 0) end
  if value == nil then value = loaded[mine] end
  if not modules.isModule(value) then value = true end
  loaded[mine] = value
  return value
end

--- The `require` of Moontorch's files.
-- @function modules.require
-- @string name
-- @return the module
-- @raise if it is neither Moontorch's nor in an absolute entry of package.path or package.cpath
function require(name)
  local value = loaded[keys[name]]
  if modules.isModule(value) then return value end
  return load(name)
end

modules.require = require

--- Replaces a standard function, for the program and for Moontorch's files.
-- @string name of the global
-- @tparam function f
function modules.replace(name, f)
  rawset(standard, name, f)
  rawset(_G, name, f)
end

--- Returns whether Moontorch's files can require a module: it is loaded, or there is a file for it.
-- @string name
-- @return a true value, or nil
function modules.isThere(name)
  return loaded[keys[name]] or preload[name] or fileOf(name)
    or package.searchpath(name, folder and modules.absolute(package.path) or package.path)
    or package.searchpath(name, folder and modules.absolute(package.cpath) or package.cpath)
end

--- Returns the file of a module: Moontorch's, or the first on package.path.
-- @string name may also be a name from package.loaded
-- @treturn ?string
function modules.file(name)
  return (fileOf((name:gsub('^moontorch%.', '')))) or package.searchpath(name, package.path) or nil
end

--- Puts a package into package.loaded before its file has finished, for the modules that it requires.
-- @string name
-- @tparam table value
-- @treturn table value
function modules.publish(name, value)
  loaded[keys[name]] = value
  return value
end

--- Returns a loaded module of Moontorch, even if the program has another one under its name.
-- @string name
function modules.loaded(name) return loaded[keys[name]] end

--- Returns whether a module is of a package that a program may replace by its own package of the same name.
-- @string name
-- @treturn bool
function modules.givesWay(name) return givesWay[name:match '^[^.]*'] or false end

--- Returns whether a module is of a Moontorch package.
-- @string name
-- @treturn bool
function modules.isOurs(name) return homeOf(name:match '^[^.]*') ~= nil end

--- Loads the package of a name: Moontorch's, or the program's if that lacks the wanted value.
-- @string name
-- @tparam function has returns the wanted value, if it exists
-- @return the last result of `has`
function modules.bring(name, has)
  if loaded[keys[name]] == nil and fileOf(name) then pcall(require, name) end
  local found = has()
  if found or loaded[name] ~= nil then return found end
  pcall(_G.require, name)
  return has()
end

--- Returns a Moontorch package, or what the program's `require` finds.
-- @string name
function modules.package(name) return (modules.isOurs(name) and require or _G.require)(name) end

--- Returns a program's file for a module with the same name as a module of Moontorch.
-- @string name
-- @string[opt] asking the file that requires the module
-- @tparam[opt] {string,...} folders to search first, with a slash at the end
-- @treturn ?string
-- @treturn ?string 'path' for a Lua file, 'cpath' for a library
function modules.programsFile(name, asking, folders) return require 'torch.start.programs_file'(name, fileOf(name), asking, folders) end

--- The loader in package.loaders by which the program's `require` finds Lua files and Moontorch's packages.
-- @string name
-- @return the function that creates the module; or a text that lists where no file was found
function modules.search(name)
  if name:find '^libmoontorch%f[.%z]' then return openLibrary(name) end
  local plainName = name:match '^moontorch%.(.+)$'
  if plainName and fileOf(plainName) then return function() return require(plainName) end end
  local own, text = fileOf(name)
  if own and not modules.givesWay(name) then
    return function() return load(name, compileOwn(name, text, own)) end
  end
  if not own then
    local file, tried = package.searchpath(name, package.path)
    return file and compileFile(name, file) or tried
  end
  local file, kind = modules.programsFile(name)
  if not file then return function() return require(name) end end
  return kind == 'path' and compileFile(name, file) or open(name, file)
end

if folder then
  modules.folder = folder:sub(1, -2)      -- the folder of Moontorch's Lua files
  local loaders = package.loaders
  if debug.getinfo(loaders[2], 'S').what == 'C' then loaders[2] = modules.search else table.insert(loaders, 2, modules.search) end
end
registry[key], loaded['torch.modules'] = modules, modules

return modules
