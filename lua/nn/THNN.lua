--- Torch7's kernels, as packages call them: `x.THNN.Tanh_updateOutput(x:cdata(), y:cdata())`.
-- Float and double tensors have a field THNN with a function for each kernel. Tensor arguments are `cdata`; numbers and booleans are
-- passed directly. Results are written to the tensors given. A kernel runs the module of the same name, with the arguments in the module's
-- fields.
-- @module nn.THNN
local ffi = require 'ffi'
local torch = require 'torch'
local nn = require 'nn'
local foreign, run = require 'torch.tensor.ffi_types', require 'nn.support.run'

local THNN = {}

--- Represents a missing tensor.
THNN.NULL = ffi.new 'void *'

--- Kernels have no state here.
function THNN.getState()
  return THNN.NULL
end

--- Returns the address of a tensor, or NULL for nil.
-- @tparam ?torch.Tensor t
function THNN.optionalTensor(t)
  return t and t:cdata() or THNN.NULL
end

-- kernel name -> names of its arguments
local orders = {}
do
  local text = require('nn.THNN.kernels'):gsub('\n  ', ' ')
  for line in text:gmatch '[^\n]+' do
    local names = {}
    for word in line:gmatch '%S+' do names[#names + 1] = word end
    orders[table.remove(names, 1)] = names
  end
end

-- Classes whose kernels have other names.
local classes = {
  GatedLinear = 'GatedLinearUnit', SpatialFullDilatedConvolution = 'SpatialFullConvolution',
  VolumetricConvolutionMM = 'VolumetricConvolution', VolumetricUpSamplingNearest = 'UpSampling',
  VolumetricUpSamplingTrilinear = 'UpSampling', VolumetricFullDilatedConvolution = 'VolumetricFullConvolution',
}

-- Fields whose names differ from the arguments'.
local renamed = {
  ignore_index = 'ignoreIndex', pT = 'padT', pW = 'padW', pH = 'padH', aT = 'adjT', aW = 'adjW', aH = 'adjH', outputHeight = 'oheight',
  outputWidth = 'owidth', outputDepth = 'odepth', ceilMode = 'ceil_mode', batchMode = 'batch_mode',
}
local renamedFor = {
  SpatialAdaptiveMaxPooling = { owidth = 'W', oheight = 'H' }, SpatialAdaptiveAveragePooling = { owidth = 'W', oheight = 'H' },
  SpatialConvolutionLocal = { inputWidth = 'iW', inputHeight = 'iH', outputWidth = 'oW', outputHeight = 'oH' },
  SpatialFractionalMaxPooling = { outputW = 'outW', outputH = 'outH' },
  VolumetricFractionalMaxPooling = { outputT = 'outT', outputW = 'outW', outputH = 'outH' },
}

-- Further preparation of modules.
local prepare = {}

local function unpooling(module)
  module.pooling = {
    indices = module.indices, iheight = module.oheight or module.oH, iwidth = module.owidth or module.oW, itime = module.oT,
  }
end
prepare.SpatialMaxUnpooling, prepare.VolumetricMaxUnpooling = unpooling, unpooling
function prepare.VolumetricUpSamplingNearest(module) module.mode = 'nearest' end
function prepare.VolumetricUpSamplingTrilinear(module) module.mode = 'linear' end

local function connected(module)
  module.kH, module.kW = module.weight:size(2), module.weight:size(3)
end
prepare.SpatialConvolutionMap, prepare.SpatialFullConvolutionMap = connected, connected

-- Weight and bias have one element per plane or feature.
local function subsampling(module)
  local size = (module.weight or module.bias):size(1)
  module.nInputPlane, module.inputFrameSize = size, size
  module.weight, module.bias = module.weight or module.bias:clone():zero(), module.bias or module.weight:clone():zero()
end
prepare.SpatialSubSampling, prepare.TemporalSubSampling = subsampling, subsampling

-- Sets sizes that kernels read from their tensors.
local function sizesOf(module, base, input)
  local dims = base:find '^Spatial' and 2 or base:find '^Volumetric' and 3 or base:find '^Temporal' and 1
  if not dims or not module.weight then return end
  if dims == 1 then
    module.inputFrameSize = module.inputFrameSize or input:size(input:dim())
    module.outputFrameSize = module.outputFrameSize or module.weight:size(1)
  else
    module.nInputPlane = module.nInputPlane or input:size(input:dim() - dims)
    module.nOutputPlane = module.nOutputPlane or module.weight:size(base:find 'Full' and 2 or 1)
  end
end

local function isCriterion(class) return torch.isTypeOf(class, 'nn.Criterion') end

-- Returns a module with the arguments as fields. Linear maps lack a weight when the kernel computes its gradient: any value will do.
local function moduleOf(base, arguments)
  local name = 'nn.' .. (classes[base] or base)
  local _ = nn[classes[base] or base]
  local module = setmetatable({}, assert(torch.getmetatable(name), name .. ' is unknown'))
  local names = renamedFor[base] or renamed
  for argument, value in pairs(arguments) do module[names[argument] or argument] = value end
  for parameter, gradient in pairs { weight = 'gradWeight', bias = 'gradBias' } do
    if module[gradient] and not module[parameter] then module[parameter] = module[gradient]:clone():zero() end
    if module[parameter] and not module[gradient] then module[gradient] = module[parameter]:clone():zero() end
  end
  if arguments.input then
    sizesOf(module, base, arguments.input)
    module.gradInput = arguments.input.new()
  end
  module._type = arguments.input and arguments.input:type()
  if arguments.ignore_index then module.ignoreIndex = arguments.ignore_index + 1 end      -- kernels count classes from 0 there
  if prepare[base] then prepare[base](module) end
  return module
end

local function put(tensor, value)
  if not tensor then return end
  if type(value) == 'number' then
    tensor:resize(1):fill(value)
  else
    tensor:resize(value:size()):copy(value)
  end
end

-- The likelihoods' kernels write only at the targets.
local function putClasses(tensor, gradient)
  if not tensor:isSameSizeAs(gradient) then tensor:resizeAs(gradient):zero() end
  local mask = torch.ne(gradient, 0)
  if mask:any() then tensor:maskedCopy(mask, gradient:maskedSelect(mask)) end
end

-- Fields that kernels write in addition to the output, by argument.
local written = { indices = 'indices', noise = 'noise', save_mean = 'save_mean', save_std = 'save_std', isTarget = 'isTarget',
                  total_weight = 'total_weight_tensor' }

local methods = {}

function methods.updateOutput(base, arguments)
  local module = moduleOf(base, arguments)
  local output = torch.noGrad(module.compute, module, arguments.input, arguments.target)
  if arguments.inplace then arguments.output:set(arguments.input) else put(arguments.output, output) end
  for argument, field in pairs(written) do
    if arguments[argument] and module[field] and not rawequal(arguments[argument], module[field]) then
      put(arguments[argument], module[field])
    end
  end
end

function methods.updateGradInput(base, arguments)
  local module, gradOutput = moduleOf(base, arguments), arguments.gradOutput
  local gradient
  if module.keeps then module.output = module.output or gradOutput end           -- backward uses the fields in `keeps`, not the output
  if base == 'RReLU' and arguments.train then
    gradient = torch.cmul(gradOutput, arguments.noise)             -- the slopes drawn by the forward
  elseif isCriterion(module) then
    gradient = run.lossGradient(module, arguments.input, arguments.target)
  else
    if base == 'SpatialUpSamplingBilinear' or base == 'VolumetricUpSamplingTrilinear' then
      local sizes = { arguments.nbatch, arguments.nchannels }
      for _, axis in ipairs { 'inputDepth', 'inputHeight', 'inputWidth' } do sizes[#sizes + 1] = arguments[axis] end
      arguments.input = gradOutput.new(torch.LongStorage(sizes)):zero()
      module.gradInput = gradOutput.new()
    end
    module.inplace = false
    gradient = module:updateGradInput(arguments.input, gradOutput)
  end
  if base:find 'ClassNLLCriterion$' then return putClasses(arguments.gradInput, gradient) end
  if arguments.inplace then gradOutput:copy(gradient) end
  if arguments.inplace then arguments.gradInput:set(gradOutput) else put(arguments.gradInput, gradient) end
end

function methods.accGradParameters(base, arguments)
  local module = moduleOf(base, arguments)
  module:accGradParameters(arguments.input, arguments.gradOutput, arguments.scale or 1)
end

function methods.backward(_, arguments)
  local mean, invstd = arguments.save_mean, arguments.save_std
  if not arguments.train then
    mean, invstd = arguments.running_mean, torch.rsqrt(torch.add(arguments.running_var, arguments.eps))
  end
  local gx, gWeight, gBias = torch.batchNorm_grad(arguments.gradOutput, arguments.input, arguments.weight, mean, invstd, arguments.train)
  put(arguments.gradInput, gx)
  if arguments.gradWeight then arguments.gradWeight:add(arguments.scale, gWeight) end
  if arguments.gradBias then arguments.gradBias:add(arguments.scale, gBias) end
end

-- Kernels whose arguments don't correspond to a module's fields.
local special = require 'nn.THNN.special'

local function tensorOrValue(value)
  if type(value) == 'cdata' then return foreign.owner(value) end
  return value
end

-- Arguments that all programs pass, at least as NULL.
local alwaysTensors = {
  input = true, target = true, output = true, gradOutput = true, gradInput = true, gradWeight = true, gradBias = true,
}

local function makeKernel(name)
  local names, base, method = orders[name], name:match '^(.*)_(%w+)$'
  if base == 'GRUFused' or base == 'LSTMFused' then
    return function() error(name .. ': Not implemented for CPU', 2) end
  end
  return function(...)
    local arguments, given = {}, select('#', ...)
    for i = 1, #names do
      arguments[names[i]] = tensorOrValue((select(i, ...)))
      -- Later versions of Torch7 added numbers and flags after the tensors.
      local missing = i > given and (i == 1 or alwaysTensors[names[i]]) or arguments[names[i]] == nil and names[i] == 'gradOutput'
      if missing then error(("%s: %s: nothing, expected a tensor's cdata"):format(name, names[i]), 2) end
    end
    if special[name] then return special[name](arguments) end
    methods[method](base, arguments)
  end
end

--- All kernels by name, created on first use.
THNN.kernels = setmetatable({}, {
  __index = function(kernels, name)
    if name == 'torch.FloatTensor' or name == 'torch.DoubleTensor' then return kernels end     -- Torch7 has one table per type
    if not orders[name] then return nil end
    kernels[name] = makeKernel(name)
    return kernels[name]
  end,
})

--- Calls a kernel.
-- @tparam string name
-- @tparam string typename of the tensors
-- @param ... arguments of the kernel
function THNN.runKernel(name, typename, ...)
  local class = torch.getmetatable(typename)
  if not class or not class.THNN then error('Unsupported tensor type: ' .. tostring(typename), 2) end
  local kernel = class.THNN[name]
  if not kernel then error(("Function '%s' not found for tensor type '%s'."):format(name, typename), 2) end
  return kernel(...)
end

--- Returns the kernels of another library: a table of the functions `<type><name>` in it, whose first argument is the state, if there is
-- one.
-- @param lib result of ffi.load
-- @tparam {string,...} names of kernels
-- @tparam string typename for example `Cuda`
-- @tparam[opt] function getState
-- @treturn {string=function}
function THNN.bind(lib, names, typename, getState)
  local bound = {}
  for _, name in ipairs(names) do
    local done, symbol = pcall(function() return lib['THNN_' .. typename .. name] end)
    if done then
      bound[name] = getState and function(...) return symbol(getState(), ...) end or function(...) return symbol(THNN.NULL, ...) end
    end
  end
  return bound
end

nn.THNN = THNN
return THNN
