--- Classes in files: the modules of cudnn and cunn, which nn's modules replace.
-- They are extensions of torch (`torch.extensions`, the points `classes` and `fields`).
-- @module nn.support.foreign_classes
local class, extensions = require 'torch.class', require 'torch.extensions'

-- Adds a field that nn's constructor sets and cudnn's does not. In cudnn, the mode says whether padding counts in an average.
local function averagePooling(module)
  if module.divide ~= nil then return end
  module.divide = true
  module.count_include_pad = module.mode ~= 'CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING'
end
local missing = {
  ReLU = { threshold = 0, val = 0 },
  SpatialAveragePooling = averagePooling,
  VolumetricAveragePooling = averagePooling,
}

local function shortName(name) return name:match '^%a+%.([%w_]+)$' end

-- Returns nn's name of a module of cudnn or cunn, and the additions to its fields.
local function ofGPU(name)
  local short = shortName(name)
  if short and class.factory('nn.' .. short) then return 'nn.' .. short, missing[short] end
end

extensions.register('classes.cudnn', ofGPU)
extensions.register('classes.cunn', ofGPU)
extensions.register('fields.cudnn', function(name) return missing[shortName(name)] end)

-- Classes of parametrizations are defined in one file.
extensions.register('classes.nn', function(name)
  if not name:find '^nn%.parametrizations%.' then return nil end
  require 'nn.utils.parametrizations'
  return name
end)
