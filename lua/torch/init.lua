--- Tensors: n-dimensional arrays of numbers, as in Torch7.
-- Rarely used parts are loaded at their first use, so that a program starts in milliseconds.
-- @module torch
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's own search
require 'torch.start.luajit'
require 'paths'      -- a global that programs, and jobs of threads, expect with torch
local ffi = require 'ffi'
local C = require 'libmoontorch'
if type(C) ~= 'table' then error("torch: libmoontorch does not see this program's LuaJIT: it has to be linked with -Wl,-E", 0) end
local class = require 'torch.class'
local tensors = require 'torch.tensor'
local types = require 'torch.devices.types'

local torch = { version_ = C.version }
package.loaded.torch = torch
rawset(_G, 'torch', torch)      -- programs call require 'torch' and rely on the global

for name, f in pairs(C.functions) do torch[name] = f end      -- the ops among them are added at their first use
torch.type, torch.typename = class.type, class.typename

-- Returns whether a table is an object of a Lua class whose name matches, such as torch.MultiCudaTensor.
local function isNamed(value, pattern)
  local name = class.typename(value)
  return name ~= nil and name:find(pattern) ~= nil
end

--- Returns whether a value is a tensor, or an object of a program's Lua class with the name of a tensor class: `torch.<...>Tensor`.
function torch.isTensor(value)
  if type(value) == 'table' then return isNamed(value, '^torch%..*Tensor$') end
  return C.isTensor(value)
end

--- Returns whether a value is a storage, or an object of a program's Lua class with the name of a storage class: `torch.<...>Storage`.
function torch.isStorage(value)
  if type(value) == 'table' then return isNamed(value, '^torch%..*Storage$') end
  return C.isStorage(value)
end

torch.setnumthreads, torch.getnumthreads = C.setThreads, C.getThreads
torch.memory, torch.emptyCache, torch.memoryLimit = C.memory, C.emptyCache, C.memoryLimit

-- Returns whether the command line of luajit sets limits for the compiler. Its options precede the script's name in `arg`.
local function limitsWereGiven()
  local words, i = rawget(_G, 'arg'), -1
  while type(words) == 'table' and type(rawget(words, i)) == 'string' do
    if words[i]:find '^%-O.*max[mt]' then return true end
    i = i - 1
  end
  return false
end
if not limitsWereGiven() then require 'torch.start.jit_limits'() end
package.loaded['torch.start.jit_limits'] = nil      -- few programs need it again

-- Lets the collector finish a cycle in few large steps: after each step that ran finalisers, LuaJIT leaves compiled code and aborts the
-- trace being compiled. A pace that the host has set doesn't change.
local usualPace, pace = 200, collectgarbage('setstepmul', 10000)
if pace ~= usualPace then collectgarbage('setstepmul', pace) end

local makeClasses = tensors.install(torch)
torch._heaptracking = true
if not string.gfind then rawset(string, 'gfind', string.gmatch) end
require 'torch.start.lua52'.addFunctions()

local function defaultType() return types.name(C.deviceKind(C.defaultDevice()), C.dtypes[C.defaultDType() + 1].torch) end
local function useDefaultType() torch.Tensor, torch.Storage = torch[defaultType() .. 'Tensor'], torch[defaultType() .. 'Storage'] end

--- Sets the default type: that of torch.Tensor, torch.Storage, and results whose type no argument determines. A type of a device kind makes
-- the current device of this kind the default device.
-- @string name 'torch.FloatTensor', 'float', 'float32', 'torch.CudaTensor', ...
-- @raise if there is no such type
function torch.setdefaulttensortype(name)
  local whole = require 'torch.class.type_name'(name)
  if not whole then error(('setdefaulttensortype: name: <%s> is not a string describing a torch object'):format(tostring(name)), 2) end
  local i, kind = types.parse(whole:match '^torch%.(.*)Tensor$')
  local former = C.deviceKind(C.defaultDevice())
  if kind ~= former and (kind or name == whole) then C.defaultDevice(kind or 'cpu', 'setdefaulttensortype') end
  C.defaultDType(i - 1)
  useDefaultType()
end

--- Returns the name of the default type.
-- @treturn string
function torch.getdefaulttensortype() return 'torch.' .. defaultType() .. 'Tensor' end

--- Returns the number of online processors, independent of the number of threads.
-- @treturn int
function torch.getnumcores()
  ffi.cdef 'int mt_get_nprocs(void) asm("get_nprocs");'
  return ffi.C.mt_get_nprocs()
end

--- Runs a file in the caller's folder; the global `include`.
-- @function include
-- @string file
-- @int[opt=2] depth level of debug.getinfo: 2 is the caller
rawset(_G, 'include', function(file, depth)
  local path = require('paths').thisfile(file, (depth or 2) + 1)
  return require 'torch.start.lua52'.dofile(path)
end)

require 'torch.start.regions'      -- before a program makes coroutines
require 'torch.start.names'(torch, tensors, makeClasses, useDefaultType)

-- The last loader finds Lua 5.2's bit32, which users of Torch7 installed as a rock: if there is no other, `require` returns Moontorch's.
-- For other missing modules, the message names the package that contains them.
table.insert(package.loaders, function(name)
  if name == 'bit32' then return function() return require 'torch.start.bit32' end end
  return require 'torch.start.other_packages'(name)
end)

return torch
