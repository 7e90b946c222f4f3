--- The kinds of recurrence: by PyTorch's names of modes, 'LSTM', 'GRU', 'RNN_TANH' and 'RNN_RELU', what a layer computes over a sequence,
-- and what a cell computes in one step.
-- @module nn.recurrent.kinds
local torch = require 'torch'
local sequences = require 'nn.recurrent.sequences'

local kinds = {}

-- A mode: `gates`, the number of parts of the weights; `states`, that of the states; `sequence` (x, list of states, parameters by kind as
-- of nn.recurrent.parameters, reverse) -> y, states...; `step` (contribution of the input, that of the state, states...) -> next states.

kinds.LSTM = {
  gates = 4, states = 2,
  sequence = function(x, start, p, reverse)
    local bias = p.biasInput and torch.add(p.biasInput, p.biasState)
    local parameters = { wInput = p.weightInput, wState = p.weightState, bias = bias, wProjection = p.weightProjection }
    return sequences.lstm(x, start[1], start[2], parameters, reverse)
  end,
  step = function(fromInput, fromState, _, c)
    local h, cell = torch.lstm_cell(torch.add(fromInput, fromState), c)
    return { h, cell }
  end,
}

kinds.GRU = {
  gates = 3, states = 1,
  sequence = function(x, start, p, reverse)
    local parameters = { wInput = p.weightInput, wState = p.weightState, bias = p.biasInput, stateBias = p.biasState }
    return sequences.gru(x, start[1], parameters, reverse)
  end,
  step = function(fromInput, fromState, h) return (torch.gru_cell(fromInput, fromState, h)) end,
}

local function plain(f)
  return {
    gates = 1, states = 1,
    sequence = function(x, start, p, reverse)
      local bias = p.biasInput and torch.add(p.biasInput, p.biasState)
      return sequences.plain(x, start[1], { wInput = p.weightInput, wState = p.weightState, bias = bias }, reverse, f)
    end,
    step = function(fromInput, fromState) return f(torch.add(fromInput, fromState)) end,
  }
end

kinds.RNN_TANH, kinds.RNN_RELU = plain(torch.tanh), plain(torch.relu)

--- Returns the kind of a module.
-- @tparam nn.Module module with a field `mode`, or the nonlinearity of nn.RNN
-- @treturn table
function kinds.of(module)
  local mode = module.mode
  if mode == 'RNN' then mode = module.nonlinearity == 'relu' and 'RNN_RELU' or 'RNN_TANH' end
  return kinds[mode]
end

return kinds
