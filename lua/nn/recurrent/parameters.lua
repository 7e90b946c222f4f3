--- The parameters of layers in both directions: weightInput1, weightState1, biasInput1, biasState1, weightInput1Reverse, ...
-- @module nn.recurrent.parameters
local torch, check = require 'torch', require 'torch.check'

local parameters = {}

-- Returns the name of a parameter of a layer and direction, counted from 1.
local function nameOf(kind, layer, direction) return ('%s%d%s'):format(kind, layer, direction == 2 and 'Reverse' or '') end

local kinds = { 'weightInput', 'weightState', 'biasInput', 'biasState', 'weightProjection' }

--- Draws all parameters of a module from uniform(-bound, bound).
-- @tparam nn.Module module
-- @tparam ?number bound by default 1 / sqrt(hiddenSize)
function parameters.draw(module, bound)
  bound = check.number(torch.type(module), 'bound', bound or 1 / math.sqrt(module.size))
  for _, parameter in ipairs((module:parameters())) do torch.noGrad(parameter.uniform, parameter, -bound, bound) end
end

--- Returns the size of a module's output, h, in one direction.
-- @tparam nn.Module module
-- @treturn int
function parameters.outputSize(module)
  local projected = module.projSize
  return projected and projected > 0 and projected or module.size
end

--- Declares the parameters of a module with fields for sizes, layers and directions.
-- @tparam nn.Module module
-- @int gates number of parts of the weights
-- @bool bias
function parameters.declare(module, gates, bias)
  local size, outputSize = module.size, parameters.outputSize(module)
  for layer = 1, module.layers do
    local from = layer == 1 and module.inputSize or outputSize * module.directions
    for direction = 1, module.directions do
      local function declare(kind, ...) module:declare(nameOf(kind, layer, direction), torch.Tensor(...)) end
      declare('weightInput', gates * size, from)
      declare('weightState', gates * size, outputSize)
      if bias then
        declare('biasInput', gates * size)
        declare('biasState', gates * size)
      end
      if outputSize ~= size then declare('weightProjection', outputSize, size) end
    end
  end
end

--- Returns the parameters of a layer and direction, by kind.
-- @treturn {[string]=torch.Tensor} weightInput, weightState and, if they exist, biasInput, biasState and weightProjection
function parameters.of(module, layer, direction)
  local p = {}
  for _, kind in ipairs(kinds) do p[kind] = module[nameOf(kind, layer, direction)] end
  return p
end

--- Returns the parameters of a layer and direction, in order.
-- @treturn {torch.Tensor,...}
function parameters.listOf(module, layer, direction)
  local p, list = parameters.of(module, layer, direction), {}
  for _, kind in ipairs(kinds) do list[#list + 1] = p[kind] end
  return list
end

local theirs = {
  weightInput = 'weight_ih', weightState = 'weight_hh', biasInput = 'bias_ih', biasState = 'bias_hh', weightProjection = 'weight_hr',
}

--- Returns PyTorch's name of a parameter of layers (weight_ih_l0_reverse) or of a cell (weight_ih); nil for other fields.
-- @string field
-- @treturn ?string
function parameters.stateName(field)
  local forward, reversed = field:gsub('Reverse$', '')
  local kind, layer = forward:match '^(%a+)(%d*)$'
  if not theirs[kind] then return nil end
  return theirs[kind] .. (layer == '' and '' or '_l' .. layer - 1) .. (reversed == 0 and '' or '_reverse')
end

return parameters
