--- The parameters of layers in both directions: weightInput1, weightState1, biasInput1, biasState1, weightInput1Reverse, ...
-- @module nn.recurrent.parameters
local torch = require 'torch'

local parameters = {}

-- Returns the name of a parameter of a layer and direction, counted from 1.
local function nameOf(kind, layer, direction) return ('%s%d%s'):format(kind, layer, direction == 2 and 'Reverse' or '') end

local kinds = { 'weightInput', 'weightState', 'biasInput', 'biasState' }

--- Declares the parameters of a module with fields for layers and directions.
-- @tparam nn.Module module
-- @int inputSize of the first layer
-- @int size of the state
-- @int gates number of parts of the weights
-- @bool bias
function parameters.declare(module, inputSize, size, gates, bias)
  for layer = 1, module.layers do
    local from = layer == 1 and inputSize or size * module.directions
    for direction = 1, module.directions do
      local function declare(kind, ...) module:declare(nameOf(kind, layer, direction), torch.Tensor(...)) end
      declare('weightInput', gates * size, from)
      declare('weightState', gates * size, size)
      if bias then
        declare('biasInput', gates * size)
        declare('biasState', gates * size)
      end
    end
  end
end

--- Returns the parameters of a layer and direction, by kind.
-- @treturn {[string]=torch.Tensor} weightInput, weightState and, if they exist, biasInput and biasState
function parameters.of(module, layer, direction)
  local p = {}
  for _, kind in ipairs(kinds) do p[kind] = module[nameOf(kind, layer, direction)] end
  return p
end

local theirs = { weightInput = 'weight_ih', weightState = 'weight_hh', biasInput = 'bias_ih', biasState = 'bias_hh' }

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
