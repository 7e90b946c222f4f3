--- cutorch on a machine without a GPU: a program that requires the package but does not need a GPU runs on the CPU.
-- @module cutorch.absent
local torch, C, guard = require 'torch', require 'libmoontorch', require 'torch.check.guard'
local types = require 'torch.devices.types'

local pcall, xpcall = pcall, xpcall

local absent = {}

local function isOurs(info) return info.what ~= 'C' and guard.isInstalled and guard.isOurSource(info.source) end

-- Whether a function belongs to the loaders behind `require`: a pcall in these is not the program's.
local function isLoader(info)
  return isOurs(info) and (info.source:find 'torch/modules%.lua$' or info.source:find 'trepl/neighbouring_files%.lua$') ~= nil
end

-- Whether the program expects that the package may be missing: `pcall(require, 'cutorch')`, or pcall of a function that requires it.
local function isExpected()
  for level = 3, math.huge do
    local info, above = debug.getinfo(level, 'Sf'), debug.getinfo(level + 1, 'Sf')
    if not info then return false end
    if (info.func == pcall or info.func == xpcall) and not (above and isLoader(above)) then return true end
    if info.what ~= 'C' and not isOurs(info) then
      return info.what ~= 'main' and above ~= nil and (above.func == pcall or above.func == xpcall)
    end
  end
end

--- Prints a warning, or raises an error if the program expects one.
-- @string why the missing part
function absent.announce(why)
  if isExpected() then
    package.loaded.cutorch = nil      -- or LuaJIT would report a loop the next time
    error(why, 0)
  end
  io.stdout:flush()
  io.stderr:write(('warning: cutorch: %s; the program continues without a GPU\n'):format(why))
end

--- Adds the functions that are useful without a GPU: seeds and waits do nothing, tensor types raise the error.
-- @tparam table cutorch
-- @string why
function absent.complete(cutorch, why)
  for _, name in ipairs { 'manualSeed', 'manualSeedAll', 'synchronize', 'synchronizeAll' } do cutorch[name] = function() end end
  local missing = { __call = function() error(why, 2) end, __index = function() error(why, 2) end }
  for _, info in ipairs(C.dtypes) do
    for _, kind in ipairs { 'Tensor', 'Storage' } do rawset(torch, types.name('cuda', info.torch) .. kind, setmetatable({}, missing)) end
  end
end

return absent
