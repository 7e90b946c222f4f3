--- Neural network modules and criteria.
-- Each class is in the file with its name. The file is read when a program first names the class: as `nn.Linear`, as a parent in
-- `torch.class`, or in a saved file. Classes that Torch7 lacks leave their names to programs and packages (nn.support.given_way).
-- @module nn
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's own search
local torch = require 'torch'
require 'autograd.core'

local nn = rawget(_G, 'nn') or {}
rawset(_G, 'nn', nn)
package.loaded.nn = nn

-- The folder of Moontorch's classes: a program may have another folder nn.
local here = debug.getinfo(1, 'S').source:match '^@(.*)nn/init%.lua$'
local files = here and here .. '?.lua'

local function isThere(module) return package.loaded[module] or package.preload[module] or files and package.searchpath(module, files) end

-- A file of nn/dimensional has a function of the number of dimensions that declares the class with that number in its name.
local function dimensional(name)
  local family, dims = name:match '^(%u%a*)([123])d$'
  local module = family and 'nn.dimensional.' .. family
  if not (module and isThere(module)) then return nil end
  return function()
    local made = require(module)(tonumber(dims))
    made.__givesWay, made.__module = true, module
  end
end

local isTakenBy      -- nn.support.given_way, which only classes that give way need
local held = {}      -- classes that give way: reads of their names always come to the function `class`

-- Stores a class that gives way in `held`, after its file has put it into nn.
local function hold(name, made)
  local constructor = rawget(nn, name)
  if constructor == nil or not rawget(made, '__givesWay') then return end
  isTakenBy = isTakenBy or require 'nn.support.given_way'
  held[name], nn[name] = constructor, nil
end

local function class(_, name)
  if type(name) ~= 'string' or not name:find '^%u' then return nil end
  local module = 'nn.' .. name
  if package.loaded[module] == nil and held[name] == nil then
    local declare = isThere(module) and function() require(module) end or dimensional(name)
    if declare then
      declare()
      local made = torch.getmetatable(module)
      if made then
        if not rawget(made, '_takesNames') then require('nn.support.options').install(made) end
        hold(name, made)
      end
    end
  end
  local constructor = held[name]
  if constructor and isTakenBy(name, debug.getinfo(2, 'S').source) then return nil end
  return constructor or rawget(nn, name)
end

local function classes(list)
  local folder = torch.packageLuaPath 'nn'
  if not folder then return end      -- Moontorch's files may be compiled into a program
  local paths = require 'paths'
  for name in paths.files(folder, '^%u.*%.lua$') do list[#list + 1] = name:sub(1, -5) end
  for name in paths.files(folder .. '/dimensional', '^%u.*%.lua$') do
    for dims = 1, 3 do list[#list + 1] = ('%s%dd'):format(name:sub(1, -5), dims) end
  end
end

-- Files are named after their content, so some tables of functions have another name in Torch7.
require 'torch.start.lazy_loader'(nn, [[
  declare = nn.support.declare
  utils = nn.nested
  tables = nn.tables
  init = nn.initialisers
  functional = nn.functional
  hessian = nn.hessian
  test = nn.test
  testTHNN = nn.THNN.test
  nn.support.members: Parameter Buffer
]], class, classes)
debug.getmetatable(nn).__held = held

require 'torch.extensions'.provide('nn.support.foreign_classes', 'classes.nn classes.cudnn classes.cunn fields.cudnn')
require 'torch.extensions'.provide('nn.support.observe', 'modules')

-- Torch7's kernels. Their file is read when a program first names one.
local kernels = setmetatable({}, { __index = function(_, name) return nn.THNN.kernels[name] end })
for _, name in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor' } do require('torch.tensor.fields').add(name, 'THNN', kernels) end

return nn
