--- The parent of nn.LSTMCell, nn.GRUCell and nn.RNNCell: one step of recurrence, for loops written in Lua.
-- Given x (N, inputSize), or (inputSize), a cell starts from zeros; given {x, state, ...} with states (N, size), or (size), it continues
-- from them; nn.LSTMCell accepts {x, {h, c}}, too.
-- @classmod nn.RNNCellBase
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local byName = require 'nn.support.options'
local kinds, parameters = require 'nn.recurrent.kinds', require 'nn.recurrent.parameters'
local sizesOf = require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'

local Cell, parent = torch.class('nn.RNNCellBase', 'nn.Module')
Cell.__givesWay = true
Cell.takes = 'any'
Cell._hasOptions = true
Cell.widens = true

function Cell:_stateName(field) return parameters.stateName(field) end

--- Parameters are drawn from uniform(-1, 1) / sqrt(hiddenSize).
-- @tparam int inputSize
-- @tparam int hiddenSize of the state
-- @tparam[opt=true] bool bias
-- @tparam int numChunks number of parts of the weights: 4 for LSTM, 3 for GRU, 1 for RNN
function Cell:__init(inputSize, hiddenSize, bias, numChunks)
  local name = torch.type(self)
  parent.__init(self)
  self.inputSize = check.int(name, 'inputSize', inputSize, { min = 1 })
  self.size = check.int(name, 'hiddenSize', hiddenSize, { min = 1 })
  self.hiddenSize = self.size
  local rows = check.int(name, 'numChunks', numChunks, { min = 1 }) * hiddenSize
  self.parameterNames = {}
  self:declare('weightInput', torch.Tensor(rows, inputSize))
  self:declare('weightState', torch.Tensor(rows, hiddenSize))
  if bias ~= false then
    self:declare('biasInput', torch.Tensor(rows))
    self:declare('biasState', torch.Tensor(rows))
  end
  self:reset()
end

--- Draws all parameters from uniform(-bound, bound).
-- @tparam[opt] number bound by default 1 / sqrt(hiddenSize)
function Cell:reset(bound) parameters.draw(self, bound) end

local function asRows(x) return x and x:dim() == 1 and torch.view(x, 1, x:size(1)) or x end

-- Returns x and the states as rows: given ones, or zeros.
local function prepared(self, kind, input)
  local name = torch.type(self)
  local x, first, second = input, nil, nil
  if type(input) == 'table' then x, first, second = unpack(input, 1, 3) end
  if type(first) == 'table' and not torch.isTensor(first) then first, second = unpack(first, 1, 2) end
  local rows = asRows(x)
  if rows:dim() ~= 2 or rows:size(2) ~= self.inputSize then
    refuse.shape(('%s: input: %s, expected (N, %d)'):format(name, sizesOf(x), self.inputSize))
  end
  local states = { asRows(first), kind.states == 2 and asRows(second) or nil }
  for k = 1, kind.states do
    states[k] = states[k] or rows.new(rows:size(1), self.size):zero()
    if states[k]:dim() ~= 2 or states[k]:size(1) ~= rows:size(1) or states[k]:size(2) ~= self.size then
      refuse.shape(('%s: state %d: %s, expected [%d, %d]'):format(name, k, sizesOf(states[k]), rows:size(1), self.size))
    end
  end
  return rows, states[1], states[2], x:dim() == 1
end

function Cell:compute(input)
  local kind = kinds.of(self)
  local x, first, second, isSingle = prepared(self, kind, input)
  local fromInput = torch.linear(x, self.weightInput, self.biasInput)
  local result = kind.step(fromInput, torch.linear(first, self.weightState, self.biasState), first, second)
  if not isSingle then return result end
  if torch.isTensor(result) then return torch.view(result, self.size) end
  return { torch.view(result[1], self.size), torch.view(result[2], self.size) }
end

function Cell:__tostring__()
  return ('%s(%d -> %d)'):format(torch.type(self), self.inputSize, self.size)
end

return byName.install(Cell)
