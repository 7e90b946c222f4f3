--- The common part of nn.LSTMCell, nn.GRUCell and nn.RNNCell: one step of recurrence, for loops written in Lua.
-- Given x (N, in), a cell starts from zeros; given {x, state, ...} with states (N, size), it continues from them.
-- @module nn.recurrent.cells
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local byName = require 'nn.support.options'
local parameters = require 'nn.recurrent.parameters'
local sizesOf = require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'

--- Creates such a class.
-- @tparam string name of the class
-- @tparam int gates number of parts of the weights
-- @tparam int states their number
-- @tparam function step (module, fromInput, fromState, states...) -> next states
-- @tparam[opt=false] bool choosesFunction whether there is an option nonlinearity, 'tanh' or 'relu'
-- @treturn table the class
return function(name, gates, states, step, choosesFunction)
  local Cell, parent = torch.class(name, 'nn.Module')
  Cell.__givesWay = true
  Cell.takes = 'any'
  Cell.widens = true
  function Cell:_stateName(field) return parameters.stateName(field) end

  --- @tparam int inputSize
  -- @tparam int size of the state
  -- @tparam[opt] table options bias (true); for nn.RNNCell also nonlinearity ('tanh' or 'relu')
  function Cell:__init(inputSize, size, options)
    options = byName.read(name, options, { 'bias', choosesFunction and 'nonlinearity' or nil })
    parent.__init(self)
    self.inputSize = check.int(name, 'inputSize', inputSize, { min = 1 })
    self.size = check.int(name, 'size', size, { min = 1 })
    self.nonlinearity = options.nonlinearity and check.choice(name, 'nonlinearity', options.nonlinearity, { 'tanh', 'relu' })
    self.parameterNames = {}
    self:declare('weightInput', torch.Tensor(gates * size, inputSize))
    self:declare('weightState', torch.Tensor(gates * size, size))
    if options.bias ~= false then
      self:declare('biasInput', torch.Tensor(gates * size))
      self:declare('biasState', torch.Tensor(gates * size))
    end
    self:reset()
  end

  --- Draws all parameters from uniform(-bound, bound).
  -- @tparam[opt] number bound by default 1 / sqrt(size)
  function Cell:reset(bound)
    bound = check.number(torch.type(self), 'bound', bound or 1 / math.sqrt(self.size))
    for _, parameter in ipairs((self:parameters())) do torch.noGrad(parameter.uniform, parameter, -bound, bound) end
  end

  function Cell:compute(input)
    local x, first, second = input, nil, nil
    if type(input) == 'table' then x, first, second = unpack(input) end
    if x:dim() ~= 2 or x:size(2) ~= self.inputSize then
      refuse.shape(('%s: input: %s, expected (N, %d)'):format(name, sizesOf(x), self.inputSize))
    end
    first = first or x.new(x:size(1), self.size):zero()
    if states == 2 then second = second or x.new(x:size(1), self.size):zero() end
    local fromInput = torch.linear(x, self.weightInput, self.biasInput)
    return step(self, fromInput, torch.linear(first, self.weightState, self.biasState), first, second)
  end

  function Cell:__tostring__()
    return ('%s(%d -> %d)'):format(torch.type(self), self.inputSize, self.size)
  end

  return byName.install(Cell)
end
