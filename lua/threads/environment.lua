--- Sets up `require` in a thread to find the same modules as in the state that starts the thread.
-- @module threads.environment
local C = require 'libmoontorch.threads'
local modules = require 'torch.modules'
require 'threads.native'      -- the native part calls it, here and in threads

local environment = {}

-- Runs in the new thread, without upvalues from the sending state.
local function begin(path, cpath, preload, loaders, isTh)
  package.path, package.cpath = path, cpath
  for name, loader in pairs(preload) do package.preload[name] = loader end
  for _, added in ipairs(loaders) do table.insert(package.loaders, math.min(added.position, #package.loaders + 1), added.loader) end
  require 'torch.start.lua52'.addFunctions()
  if isTh then require 'trepl.thread' end
end

local standard = 4      -- number of loaders in a new state: preload, Lua (that of torch.modules), C, all in one

-- The functions among some values that can be sent to another thread.
local function travelling(functions)
  local found = {}
  for key, f in pairs(functions) do
    if type(f) == 'function' and f ~= modules.search and C.travels(f) then found[key] = f end
  end
  return found
end

--- The values that newPool passes to each thread: the folder of Moontorch's Lua files, a function and its arguments.
function environment.get()
  local loaders = {}
  for position, loader in pairs(travelling(package.loaders)) do
    if position > standard then loaders[#loaders + 1] = { position = position, loader = loader } end
  end
  table.sort(loaders, function(a, b) return a.position < b.position end)
  local isTh = _G.require == package.loaded['trepl.require']
  return modules.folder, begin, package.path, package.cpath, travelling(package.preload), loaders, isTh
end

return environment
