--- torch-autograd's interface, a layer on the tape, nn and optim: gradients of functions (`autograd(f)`), nn's modules as functions,
-- networks and losses as functions of their parameters. The other modules of autograd don't depend on nn or optim.
-- @module autograd.classic
local isThere = require 'torch.modules'.isThere

local classic = {}

--- Lines for `torch.start.lazy_loader`: this folder's modules and functions in the package.
classic.parts = [[
  autograd.classic.differentiate: optimize protected
  autograd.classic.inspection: profile
  autograd.classic.nnwrapper: functionalize
  autograd.classic.auto: nn auto
  nnwrapper = autograd.classic.nnwrapper
  overload = autograd.classic.overload
  model = autograd.classic.model
  module = autograd.classic.module
  loss = autograd.classic.loss
  util = autograd.classic.util
  optim = autograd.classic.optim
]]

--- `autograd(f, options)`: see autograd.classic.differentiate.
function classic.call(_, ...) return require('autograd.classic.differentiate').make(...) end

--- Returns whether `optimize` is on for functions without this option.
-- @treturn bool
function classic.optimizing() return require('autograd.classic.differentiate').optimize() end

-- Registers the classes that autograd.auto creates: files may need them before a program does.
local function addClasses()
  for _, kind in ipairs { 'module', 'criterion' } do
    local name = 'autograd.nn.' .. kind
    package.loaded[name] = package.loaded[name] or setmetatable({}, {
      __index = function(classes, key)
        require 'autograd.classic.auto'
        return classes[key]
      end,
    })
  end
end

local function moved(name) return require((name:gsub('^autograd%.', 'autograd.classic.'))) end

-- Registers the names by which programs require files.
local function addNames()
  for name in ('loss model module nnwrapper optim overload util'):gmatch '%a+' do package.preload['autograd.' .. name] = moved end
  package.preload['autograd.runtime.codegen.Value'] = function() return require 'autograd.classic.Value' end
end

--- Installs what programs expect after requiring autograd, such as the globals nn and optim. A rock of autograd may be installed without
-- these packages.
function classic.install()
  addClasses()
  addNames()
  for _, name in ipairs { 'nn', 'optim' } do
    if package.loaded[name] == nil and isThere(name) then require(name) end
  end
end

return classic
