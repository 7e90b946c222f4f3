--- Torch7's package of cuDNN. Its modules are nn's under cudnn's names: nn's modules run on cuDNN if it is faster. The classes are named
-- `cudnn.*` for Torch7's files and for programs that check these names.
-- @module cudnn
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch, check = require 'torch', require 'torch.check'
require 'cutorch'
local nn = require 'nn'

local cudnn = rawget(_G, 'cudnn') or {}
package.loaded.cudnn = cudnn
rawset(_G, 'cudnn', cudnn)

--- Accepted for compatibility: Torch7 searched for the fastest algorithm if true. Here algorithms are always chosen and cached.
cudnn.benchmark = false

--- Accepted for compatibility: Torch7 used the fastest algorithm regardless of its memory if true.
cudnn.fastest = false

--- Accepted for compatibility: Torch7 printed its choices if true.
cudnn.verbose = false

-- The classes; each inherits from nn's class of that name.
local classes = {}
for name in ([[
  SpatialConvolution SpatialFullConvolution VolumetricConvolution VolumetricFullConvolution TemporalConvolution SpatialMaxPooling
  SpatialAveragePooling VolumetricMaxPooling VolumetricAveragePooling ReLU Tanh Sigmoid SoftMax LogSoftMax SpatialSoftMax SpatialLogSoftMax
  BatchNormalization SpatialBatchNormalization VolumetricBatchNormalization SpatialCrossMapLRN
]]):gmatch '%S+' do
  classes[#classes + 1], classes[name] = name, true
end

-- Fields that nn's constructors set, but that modules in Torch7's files lack.
local defaults = { ReLU = { threshold = 0, val = 0 } }

-- Methods that chose a convolution's algorithms in Torch7: accepted, without effect.
local choices = {}
function choices.fastest(self) return self end
function choices.setMode(self) return self end
function choices.resetMode(self) return self end

for _, name in ipairs(classes) do
  local class = torch.class('cudnn.' .. name, 'nn.' .. name)
  for field, value in pairs(defaults[name] or {}) do class[field] = value end
  if name:find 'Convolution' then
    for method, f in pairs(choices) do class[method] = f end
  end
end

-- Values clipped to the range from 0 to a ceiling.
local Clipped, parent = torch.class('cudnn.ClippedReLU', 'nn.HardTanh')

--- A ReLU with a ceiling.
-- @number ceiling
-- @tparam[opt=false] boolean inplace
function Clipped:__init(ceiling, inplace)
  check.number('cudnn.ClippedReLU', 'ceiling', ceiling)
  parent.__init(self, 0, ceiling, inplace)
  self.ceiling = ceiling
end

local function converted(module, package_, exclude)
  local name = torch.type(module)
  local short = name:match '^nn%.(%w+)$' or name:match '^cudnn%.(%w+)$'
  if not short or not classes[short] or exclude and exclude(module) then return module end
  return torch.setmetatable(module, package_ .. '.' .. short)
end

--- Changes the classes of a network's modules to cudnn's, or back to nn's, in place.
-- @tparam nn.Module net
-- @tparam table package cudnn or nn
-- @tparam[opt] function exclude returns true for modules that keep their class
-- @treturn nn.Module net
-- @usage cudnn.convert(net, cudnn)
function cudnn.convert(net, package, exclude)
  check.instance('cudnn.convert', 'net', net, 'a module')
  if package ~= cudnn and package ~= nn then check.raise 'cudnn.convert: package: expected cudnn or nn' end
  if exclude ~= nil then check.callable('cudnn.convert', 'exclude', exclude) end
  local name = package == nn and 'nn' or 'cudnn'
  net:apply(function(module) converted(module, name, exclude) end)
  return net
end

return cudnn
