--- Finds and loads the library for CUDA's devices.
-- The environment variable MOONTORCH_CUDA selects it: the path of a library, `emulated` for the one whose kernels run on the host, `off`
-- for none. The default is libmoontorch_cuda.so, next to libmoontorch.so or in an absolute entry of package.cpath.
-- @module torch.cuda.plugin
local C = require 'libmoontorch'
local native = require 'torch.native'

local plugin = {}

local names = { emulated = 'libmoontorch_cuda_emulated.so' }

--- Returns the path of the library.
-- @treturn string
-- @raise if the environment disables it, or it is missing
function plugin.path()
  local wish = os.getenv 'MOONTORCH_CUDA'
  if wish == 'off' then error('CUDA: MOONTORCH_CUDA=off in the environment says that it is not to be used', 0) end
  local path, there
  if wish and wish ~= '' and not names[wish] then
    path, there = wish, native.exists(wish)
  else
    path, there = native.path(names[wish] or 'libmoontorch_cuda.so')
  end
  if not there then error(('CUDA: %s is missing: the rock cutorch brings it, or a build with -DMT_CUDA=ON'):format(path), 0) end
  return path
end

local loaded

--- Loads the library, once; its devices are then among torch.devices().
-- @treturn string its path
-- @raise if something is missing: the library, the driver, a device
function plugin.load()
  if loaded then return loaded end
  local path = plugin.path()
  local good, why = pcall(C.loadDevice, path)
  if not good then error('CUDA: ' .. tostring(why):gsub('^.-loadDevice: ', ''):gsub('^path: ', ''), 0) end
  loaded = path
  return loaded
end

return plugin
