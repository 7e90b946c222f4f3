--- Initialisation of modules' parameters: `module:init(accessor, initialiser, ...)`, in the interface of Torch7's package nninit.
-- An initialiser is a function (module, tensor, ...), one of those below or of the program. Loading this package loads nn and adds the
-- method `init` to each module.
-- @module nninit
-- @usage local nninit = require 'nninit'
-- local layer = nn.Linear(784, 256)
--   :init('weight', nninit.kaiming, { gain = 'relu' })
--   :init('bias', nninit.constant, 0)
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch, nn = require 'torch', require 'nn'
local fans, gains, orthonormal = require 'nninit.fans', require 'nninit.gains', require 'nninit.orthonormal'

local nninit = {}

local function accessed(module, accessor)
  if type(accessor) == 'string' then return module[accessor] end
  if type(accessor) == 'function' then return accessor(module) end
  if type(accessor) == 'table' and type(accessor[1]) == 'string' and accessor[2] ~= nil then return module[accessor[1]][accessor[2]] end
  error('Unsupported accessor: expected a field, {field, index}, or a function', 3)
end

--- Initialises a tensor of the module.
-- @tparam string|table|function accessor the name of a field; {field, index} for the part of it that `[]` selects; or a function of the
-- module that returns the tensor
-- @tparam function initialiser (module, tensor, ...): changes the tensor in place; its result is ignored
-- @param ... further arguments of the initialiser
-- @treturn nn.Module self
-- @raise 'Unsupported accessor', or if it leads to no tensor
function nn.Module:init(accessor, initialiser, ...)
  local tensor = accessed(self, accessor)
  if not torch.isTensor(tensor) then
    error(('nn.Module.init: accessor: a %s, expected a tensor of %s'):format(torch.type(tensor), torch.type(self)), 2)
  end
  if type(initialiser) ~= 'function' then
    error(('nn.Module.init: initialiser: a %s, expected a function'):format(torch.type(initialiser)), 2)
  end
  torch.noGrad(initialiser, self, tensor, ...)
  return self
end

-- Checks the numbers that an initialiser has no defaults for.
local function numbers(where, names, ...)
  for i = 1, #names do
    local value = select(i, ...)
    if type(value) ~= 'number' then
      error(('nninit.%s: %s: a %s, expected a number'):format(where, names[i], torch.type(value)), 3)
    end
  end
end

--- Copies another tensor.
-- @tparam nn.Module _ the module
-- @tparam torch.Tensor tensor to initialise
-- @tparam torch.Tensor init with the same number of elements
function nninit.copy(_, tensor, init) tensor:copy(init) end

--- Fills with a value.
-- @tparam nn.Module _ the module
-- @tparam torch.Tensor tensor to initialise
-- @number value
function nninit.constant(_, tensor, value)
  numbers('constant', { 'value' }, value)
  tensor:fill(value)
end

--- Adds a value.
-- @tparam nn.Module _ the module
-- @tparam torch.Tensor tensor to initialise
-- @number value
function nninit.addConstant(_, tensor, value)
  numbers('addConstant', { 'value' }, value)
  tensor:add(value)
end

--- Multiplies by a value.
-- @tparam nn.Module _ the module
-- @tparam torch.Tensor tensor to initialise
-- @number value
function nninit.mulConstant(_, tensor, value)
  numbers('mulConstant', { 'value' }, value)
  tensor:mul(value)
end

--- Draws from a normal distribution.
-- @tparam nn.Module _ the module
-- @tparam torch.Tensor tensor to initialise
-- @number mean
-- @number stdv standard deviation
function nninit.normal(_, tensor, mean, stdv)
  numbers('normal', { 'mean', 'stdv' }, mean, stdv)
  tensor:normal(mean, stdv)
end

-- Adds draws in the default type, regardless of the tensor's.
local function addDrawn(tensor, method, a, b)
  local drawn = torch.Tensor(tensor:size())
  drawn[method](drawn, a, b)
  tensor:add(drawn:typeAs(tensor))
end

--- Adds draws from a normal distribution.
-- @tparam nn.Module _ the module
-- @tparam torch.Tensor tensor to initialise
-- @number mean
-- @number stdv standard deviation
function nninit.addNormal(_, tensor, mean, stdv)
  numbers('addNormal', { 'mean', 'stdv' }, mean, stdv)
  addDrawn(tensor, 'normal', mean, stdv)
end

--- Draws from a uniform distribution.
-- @tparam nn.Module _ the module
-- @tparam torch.Tensor tensor to initialise
-- @number a lower end
-- @number b upper end
function nninit.uniform(_, tensor, a, b)
  numbers('uniform', { 'a', 'b' }, a, b)
  tensor:uniform(a, b)
end

--- Adds draws from a uniform distribution.
-- @tparam nn.Module _ the module
-- @tparam torch.Tensor tensor to initialise
-- @number a lower end
-- @number b upper end
function nninit.addUniform(_, tensor, a, b)
  numbers('addUniform', { 'a', 'b' }, a, b)
  addDrawn(tensor, 'uniform', a, b)
end

-- Draws with a standard deviation, by the name of a distribution; an unknown name does not change the tensor.
local function drawByDeviation(tensor, dist, stdv)
  if dist == 'normal' then
    tensor:normal(0, stdv)
  elseif dist == 'uniform' then
    local bound = stdv * math.sqrt(3)
    tensor:uniform(-bound, bound)
  end
end

--- Draws with standard deviation gain sqrt(2 / (fanIn + fanOut)).
-- Source: Glorot & Bengio (2010), "Understanding the difficulty of training deep feedforward neural networks", AISTATS.
-- @tparam nn.Module module whose numbers of inputs and outputs are used
-- @tparam torch.Tensor tensor to initialise
-- @tparam[opt] table options dist = 'uniform' (the default) or 'normal'; gain: a number, 'linear', 'sigmoid', 'tanh', 'relu', or
-- {'lrelu', leakiness = a}
-- @raise 'Unsupported module'
function nninit.xavier(module, tensor, options)
  options = options or {}
  local fanIn, fanOut = fans(module)
  drawByDeviation(tensor, options.dist or 'uniform', gains(options.gain) * math.sqrt(2 / (fanIn + fanOut)))
end

--- Draws with standard deviation gain sqrt(1 / fanIn). With a gain of 'relu' it is the paper's method.
-- Source: He et al. (2015), "Delving Deep into Rectifiers", ICCV.
-- @tparam nn.Module module whose number of inputs is used
-- @tparam torch.Tensor tensor to initialise
-- @tparam[opt] table options dist = 'normal' (the default) or 'uniform'; gain as of `xavier`
-- @raise 'Unsupported module'
function nninit.kaiming(module, tensor, options)
  options = options or {}
  drawByDeviation(tensor, options.dist or 'normal', gains(options.gain) * math.sqrt(1 / (fans(module))))
end

--- Fills with a random orthogonal matrix times a gain: the tensor is seen as size(1) rows of all its other elements. The rows are
-- orthonormal, or the columns if there are more rows than columns.
-- Source: Saxe et al. (2014), "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks", ICLR.
-- @tparam nn.Module _ the module
-- @tparam torch.Tensor tensor to initialise, of two dimensions or more
-- @tparam[opt] table options gain as of `xavier`
-- @raise if there are fewer dimensions
function nninit.orthogonal(_, tensor, options)
  if tensor:dim() < 2 then error('nninit.orthogonal only supports tensors with 2 or more dimensions', 2) end
  local rows = tensor:size(1)
  local matrix = orthonormal(rows, tensor:nElement() / rows):mul(gains((options or {}).gain))
  tensor:copy(matrix:contiguous():viewAs(tensor))
end

--- Sets randomly chosen elements to zero.
-- @tparam nn.Module _ the module
-- @tparam torch.Tensor tensor to change
-- @number sparsity share of the elements that become zero, 0 to 1
function nninit.sparse(_, tensor, sparsity)
  if type(sparsity) ~= 'number' or not (sparsity >= 0 and sparsity <= 1) then
    error(('nninit.sparse: sparsity: %s, expected a number from 0 to 1'):format(tostring(sparsity)), 2)
  end
  local count = tensor:nElement()
  local chosen = torch.randperm(count):narrow(1, 1, math.floor(sparsity * count)):long()
  if chosen:nElement() == 0 then return end
  local flat = tensor:contiguous():view(count):indexFill(1, chosen, 0)
  if not tensor:isContiguous() then tensor:copy(flat:viewAs(tensor)) end
end

-- The centre of a convolution's kernel; nil for other modules.
local function centreOf(module)
  if module.kT then return { math.ceil(module.kT / 2), math.ceil(module.kH / 2), math.ceil(module.kW / 2) } end
  if module.kH then return { math.ceil(module.kH / 2), math.ceil(module.kW / 2) } end
  return nil
end

--- Makes the module return its input: the identity for nn.Linear, LinearNoBias and LookupTable; for convolutions 1 / nInputPlane at the
-- kernels' centre, for all pairs of planes, and 0 elsewhere.
-- @tparam nn.Module module
-- @tparam torch.Tensor tensor the module's weight
-- @raise if the tensor is not the module's weight, or for other modules
function nninit.eye(module, tensor)
  if tensor ~= module.weight then error("nninit.eye only supports 'weight' tensor", 2) end
  local name = torch.type(module)
  if name == 'nn.Linear' or name == 'nn.LinearNoBias' or name == 'nn.LookupTable' then
    tensor:copy(torch.eye(tensor:size(1), tensor:size(2)))
  elseif name:find 'TemporalConvolution' then
    -- A row has the frames of the kernel one after another.
    tensor:zero():view(tensor:size(1), module.kW, module.inputFrameSize):select(2, math.ceil(module.kW / 2))
      :fill(1 / module.inputFrameSize)
  elseif name:find 'Convolution' and centreOf(module) then
    local kernel = module.kT and { module.kT, module.kH, module.kW } or { module.kH, module.kW }
    local planes = tensor:zero():view(-1, unpack(kernel))
    for _, position in ipairs(centreOf(module)) do planes = planes:select(2, position) end
    planes:fill(1 / module.nInputPlane)
  else
    error('Unsupported module', 2)
  end
end

--- Draws kernels whose spectra are orthogonal to one another, for square two-dimensional convolutions.
-- The transform of each is a row of a random orthogonal matrix; noise of standard deviation `std` is added, and the whole is scaled to the
-- variance of `kaiming`.
-- Source: Aghajanyan (2017), "Convolution Aware Initialization", arXiv:1702.06295.
-- @tparam nn.Module module a convolution
-- @tparam torch.Tensor tensor its weight: (nOutputPlane, nInputPlane, k, k), or with these two exchanged
-- @tparam[opt] table options gain as of `xavier`; std, 0.05 by default
-- @raise if the tensor has other than 4 dimensions, or kernels that are not square
function nninit.convolutionAware(module, tensor, options)
  if tensor:dim() ~= 4 then error('nninit.convolutionAware only supports tensors with 4 dimensions', 2) end
  if tensor:size(3) ~= tensor:size(4) then error('nninit.convolutionAware only supports square filters', 2) end
  require 'nninit.convolution_aware'(tensor, gains((options or {}).gain), (options or {}).std or 0.05, (fans(module)))
end

return nninit
