--- Runs the examples of a page of the reference: `th docs/reference/run.lua PAGE`, from the project's folder.
--
-- Each example has separate globals, generators seeded with 1, and a working folder that is empty at first and is removed at the end.
-- Packages are globals without `require`. A line '\1N' precedes the output of the N-th example; an error's message is the last line.
local paths, torch = require 'paths', require 'torch'
local page = require('trepl.reference').parse(io.open(arg[1]):read '*a')

local packages = {}
for _, rock in ipairs(dofile 'rocks/list.lua') do
  packages[rock.name] = true
  for name in (rock.lua or ''):gmatch '%S+' do packages[name] = true end
end
local function known(_, name)
  if packages[name] then return require(name) end       -- before other globals: Penlight defines some with these names
  return _G[name]
end

io.stdout:setvbuf 'no'
local folder = paths.tmpname()
os.remove(folder)
paths.mkdir(folder)
for name, place in pairs { path = package.path, cpath = package.cpath } do
  package[name] = place:gsub('%f[^;%z]%./', paths.cwd() .. '/')
end
require('ffi').cdef 'int chdir(const char *name);'
require('ffi').C.chdir(folder)

local printed = torch.getprintoptions and torch.getprintoptions()
for i, entry in ipairs(page.entries) do
  io.write('\1', i, '\n')
  torch.manualSeed(1)
  torch.setdefaulttensortype 'torch.DoubleTensor'
  if printed then torch.setprintoptions(printed) end
  local example, message = loadstring(entry.code or '', '=' .. entry.names[1])
  local good = example ~= nil
  if good then good, message = pcall(setfenv(example, setmetatable({}, { __index = known }))) end
  if not good then print(message) end
end
require('ffi').C.chdir '/'
paths.rmall(folder, 'yes')
