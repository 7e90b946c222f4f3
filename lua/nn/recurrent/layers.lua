--- What nn.LSTM, nn.GRU and nn.RNN have in common: layers, directions, states, shapes.
-- A module takes x (T, N, inputSize), or (T, inputSize), and gives (T, N, directions x size). Given a table {x, state, ...} with states
-- (layers x directions, N, size) to start from, it gives a table {y, last state, ...}. Weights are drawn from uniform(-1, 1) / sqrt(size).
-- @module nn.recurrent.layers
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local sizesOf = require('torch.expect').sizes

-- Name of a parameter of a layer and direction, counted from 1.
local function nameOf(kind, layer, direction) return ('%s%d%s'):format(kind, layer, direction == 2 and 'Reverse' or '') end

local kinds = { 'weightInput', 'weightState', 'biasInput', 'biasState' }

--- Makes such a class.
-- @tparam string name of the class
-- @tparam int gates parts of the weights
-- @tparam int states how many there are
-- @tparam function sequence (module, x, list of states, parameters {wInput, wState, bias, stateBias}, reverse) -> y, states...
-- @treturn table the class
return function(name, gates, states, sequence)
  local Layers, parent = torch.class(name, 'nn.Module')
  Layers.__givesWay = true
  Layers.takes = 'any'

  --- @tparam int inputSize
  -- @tparam int size of the state
  -- @tparam[opt] table options layers (1), bidirectional (false), batchFirst (false: x is (T, N, in); true: (N, T, in)), dropout (0,
  --   between layers while training), bias (true)
  function Layers:__init(inputSize, size, options)
    options = check.options(name, options, { 'layers', 'bidirectional', 'batchFirst', 'dropout', 'bias', 'nonlinearity' })
    parent.__init(self)
    self.inputSize = check.int(name, 'inputSize', inputSize, { min = 1 })
    self.size = check.int(name, 'size', size, { min = 1 })
    self.layers = check.int(name, 'layers', options.layers or 1, { min = 1 })
    self.dropout = check.number(name, 'dropout', options.dropout or 0, { min = 0, max = 1 })
    self.directions, self.batchFirst, self.train = options.bidirectional and 2 or 1, options.batchFirst or false, true
    self.nonlinearity = options.nonlinearity
    self.parameterNames = {}
    for layer = 1, self.layers do
      local from = layer == 1 and inputSize or size * self.directions
      for direction = 1, self.directions do
        local function declare(kind, ...) self:declare(nameOf(kind, layer, direction), torch.Tensor(...)) end
        declare('weightInput', gates * size, from)
        declare('weightState', gates * size, size)
        if options.bias ~= false then
          declare('biasInput', gates * size)
          declare('biasState', gates * size)
        end
      end
    end
    self:reset()
  end

  --- Draws all parameters from uniform(-bound, bound).
  -- @tparam[opt] number bound 1 / sqrt(size) unless given
  function Layers:reset(bound)
    bound = check.number(torch.type(self), 'bound', bound or 1 / math.sqrt(self.size))
    for _, parameter in ipairs((self:parameters())) do torch.noGrad(parameter.uniform, parameter, -bound, bound) end
  end

  -- The parameters of a layer and direction.
  local function parametersOf(self, layer, direction)
    local p = {}
    for _, kind in ipairs(kinds) do p[kind] = self[nameOf(kind, layer, direction)] end
    return p
  end

  -- The states that a layer and direction starts from.
  local function startOf(self, given, index, x)
    local list = {}
    for k = 1, states do
      list[k] = given[k] and torch.select(given[k], 1, index) or x.new(x:size(2), self.size):zero()
    end
    return list
  end

  local function checkStates(self, given, x)
    local expected = { self.layers * self.directions, x:size(2), self.size }
    for k = 1, states do
      local state = given[k]
      local came, wanted = state and table.concat(state:size():totable(), ', '), table.concat(expected, ', ')
      if state and came ~= wanted then error(('%s: state %d: [%s], expected [%s]'):format(name, k, came, wanted), 0) end
    end
  end

  -- x as (T, N, in).
  local function prepared(self, x)
    local dims = x:dim()
    if dims ~= 2 and dims ~= 3 or x:size(dims) ~= self.inputSize or x:nElement() == 0 then
      error(('%s: input: %s, expected (%s, %d)'):format(name, sizesOf(x),
        self.batchFirst and 'N, T' or 'T, N', self.inputSize), 0)
    end
    if dims == 2 then return torch.view(torch.contiguous(x), x:size(1), 1, self.inputSize) end
    return self.batchFirst and torch.contiguous(torch.transpose(x, 1, 2)) or x
  end

  local function dropped(self, x)
    if self.dropout == 0 or self.train == false then return x end
    return torch.cmul(x, x.new():resize(x:size()):bernoulli(1 - self.dropout):div(1 - self.dropout))
  end

  -- One layer: outputs of its directions side by side; last states go to the ends of `finals`.
  local function runLayer(self, x, layer, given, finals)
    local outputs = {}
    for direction = 1, self.directions do
      local start = startOf(self, given, (layer - 1) * self.directions + direction, x)
      local results = { sequence(self, x, start, parametersOf(self, layer, direction), direction == 2) }
      outputs[direction] = results[1]
      for k = 1, states do
        finals[k][#finals[k] + 1] = torch.view(torch.contiguous(results[k + 1]), 1, x:size(2), self.size)
      end
    end
    return #outputs == 1 and outputs[1] or torch.cat(outputs, 3)
  end

  function Layers:compute(input)
    local given, x = {}, input
    if type(input) == 'table' then
      x = input[1]
      for k = 1, states do given[k] = input[k + 1] end
    end
    local original = x
    x = prepared(self, x)
    checkStates(self, given, x)
    local finals = {}
    for k = 1, states do finals[k] = {} end
    for layer = 1, self.layers do
      if layer > 1 then x = dropped(self, x) end
      x = runLayer(self, x, layer, given, finals)
    end
    if original:dim() == 2 then
      x = torch.view(x, x:size(1), x:size(3))
    elseif self.batchFirst then
      x = torch.contiguous(torch.transpose(x, 1, 2))
    end
    if type(input) ~= 'table' then return x end
    local results = { x }
    for k = 1, states do results[k + 1] = torch.cat(finals[k], 1) end
    return results
  end

  function Layers:__tostring__()
    local layers = self.layers > 1 and (', %d layers'):format(self.layers) or ''
    local directions = self.directions == 2 and ', both directions' or ''
    return ('%s(%d -> %d%s%s)'):format(torch.type(self), self.inputSize, self.size, layers, directions)
  end

  return Layers
end
