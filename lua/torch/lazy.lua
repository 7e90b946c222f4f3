--- Parts of torch that are read when they are first asked for: files, the tape, composed ops, timers.
-- @module torch.lazy
local C = require 'libmoontorch'
local composed = require 'torch.composed'
local enumerate = require 'torch.enumerate'

local files = { 'File', 'DiskFile', 'MemoryFile', 'PipeFile', 'save', 'load', 'saveobj', 'loadobj', 'serialize', 'deserialize',
                'serializeToStorage', 'deserializeFromStorage' }
local aliasNames = { 'multinomialAliasSetup', 'multinomialAliasSetup_', 'multinomialAlias', 'multinomialAlias_' }
local partNames = { 'split', 'chunk' }
local adaptedNames = { 'clamp', 'clip', 'cpow' }
local familiarNames = { 'stack', 'unbind', 'flatten', 'argsort', 'randint', 'tensor', 'zerosLike', 'onesLike', 'fullLike', 'randLike',
                        'randnLike', 'float16', 'bfloat16', 'float32', 'float64', 'uint8', 'int8', 'int16', 'int32', 'int64' }
local familiarMethods = { 'unbind', 'flatten', 'argsort' }

-- field of torch -> what puts it there
local function sources(torch, makeClasses)
  local byField = {}
  local function from(names, load)
    local function once()
      for _, name in ipairs(names) do byField[name] = nil end   -- first: what is being loaded asks for its own names
      load()
    end
    for _, name in ipairs(names) do byField[name] = once end
  end
  for i, info in ipairs(C.dtypes) do from({ info.torch .. 'Tensor', info.torch .. 'Storage' }, function() makeClasses(i) end) end
  from({ 'Tensor', 'Storage' }, function() torch.setdefaulttensortype(torch.getdefaulttensortype()) end)
  from(files, function() require 'torch.file'(torch) end)
  from({ 'noGrad', 'enableGrad' }, function() require 'autograd' end)
  from({ 'Timer', 'tic', 'toc' }, function() require 'torch.timer'(torch) end)
  from(partNames, function()
    local parts = require 'torch.split'
    torch.split, torch.chunk = parts.split, parts.chunk
  end)
  from(adaptedNames, function()
    for name, f in pairs(require 'torch.adapted'.functions()) do torch[name] = f end
  end)
  from({ 'ops' }, function() torch.ops = require 'torch.ops' end)
  for _, name in ipairs { 'npy', 'npz', 'safetensors', 'csv' } do from({ name }, function() torch[name] = require('torch.' .. name) end) end
  from({ 'CmdLine' }, function() require 'torch.cmdline'(torch) end)
  from({ 'Tester', 'TestSuite' }, function() require 'torch.tester'(torch) end)
  from({ 'test' }, function() torch.test = require 'torch.self_test' end)
  local function fields(module, names)
    from(names, function()
      local values = require(module)
      for _, name in ipairs(names) do torch[name] = values[name] end
    end)
  end
  fields('torch.foreign', { 'cdata', 'data', 'pushudata' })
  fields('torch.environment', { 'isatty', 'packageLuaPath', 'setheaptracking', 'updateerrorhandlers', 'updatethreadlocals' })
  from({ 'Allocator' }, function() require('torch.class').newmetatable('torch.Allocator', nil, nil, nil, nil, torch) end)
  fields('torch.familiar', familiarNames)
  from({ 'meshgrid' }, function() torch.meshgrid = require 'torch.meshgrid' end)
  from(aliasNames, function()
    for name, f in pairs(require 'torch.alias') do torch[name] = f end
  end)
  for family, names in pairs(composed.families) do from(names, function() composed.load(family) end) end
  return byField
end

-- The names of all ops, or of those that are methods, aliases included.
local function opNames(methodsOnly)
  local names = {}
  for _, name in ipairs(C.opInfo()) do
    local info = C.opInfo(name)
    if not methodsOnly or info.method ~= 'none' then
      names[#names + 1] = name
      for alias in info.alias:gmatch '%S+' do names[#names + 1] = alias end
    end
  end
  return names
end

--- Makes torch and its tensors read these parts on demand.
-- @tparam table torch
-- @tparam table tensors what the classes share
-- @tparam function makeClasses makes those of a dtype
return function(torch, tensors, makeClasses)
  local byField = sources(torch, makeClasses)
  require 'torch.include'(torch)
  local ownGenerator = C.ownGenerator
  setmetatable(torch, {
    __index = function(_, name)
      if name == '_gen' then return ownGenerator() end
      local load = byField[name]
      if load then load() else rawset(torch, name, C.functions[name]) end
      return rawget(torch, name)
    end,
    -- A program may put a generator of its own in the place of the state's.
    __newindex = function(_, name, value)
      if name == '_gen' then ownGenerator(value) else rawset(torch, name, value) end
    end,
    -- Those fields, for whoever lists a package: pairs and completion. nn and optim have the same.
    __names = function()
      local names = opNames()
      for name in pairs(byField) do names[#names + 1] = name end
      return names
    end,
  })

  enumerate(torch)

  -- Methods whose first use brings them all.
  local waiting = {}      -- name -> what puts it among the methods
  local function later(names, load)
    for _, name in ipairs(names) do waiting[name] = load end
  end
  later({ 'apply', 'map', 'map2' }, function() tensors.addMethods(require 'torch.apply') end)
  later({ 'requiresGrad', 'backward', 'isTracked', 'isLeaf', 'detach', 'zeroGrad', 'registerHook', 'retainGrad' },
        function() require 'autograd' end)
  later({ 'cdata', 'retain', 'free' }, function()
    local foreign = require 'torch.foreign'
    tensors.addMethods { cdata = foreign.cdata, retain = foreign.retain, free = foreign.free }
  end)
  later(adaptedNames, function()
    for _, name in ipairs(adaptedNames) do waiting[name] = nil end      -- first: it asks for the engine's own
    tensors.addMethods(require 'torch.adapted'.methods())
  end)
  for _, name in ipairs { 'cdata', 'retain', 'free' } do
    tensors.storageMethods[name] = function(...) return require 'torch.foreign'[name](...) end
  end
  for family, names in pairs(composed.families) do
    if not composed.functions[family] then later(names, function() composed.load(family) end) end
  end
  for _, names in ipairs { partNames, aliasNames, familiarMethods } do
    for _, name in ipairs(names) do waiting[name] = function() tensors.addMethods { [name] = torch[name] } end end
  end
  local methods = tensors.methods
  local bind = getmetatable(methods).__index
  setmetatable(methods, {
    __index = function(_, name)
      local load = waiting[name]
      if not load then return bind(methods, name) end
      waiting[name] = nil
      load()
      return rawget(methods, name)
    end,
    __names = function()
      local names = opNames(true)
      for name in pairs(waiting) do names[#names + 1] = name end
      return names
    end,
  })
end
