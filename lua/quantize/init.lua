--- Networks of 8-bit integers: quantisation by ranges of values, dynamic or calibrated, and training with the rounding.
-- @module quantize
-- @usage local quantize = require 'quantize'
-- local prepared = quantize.prepare(net, { input = torch.randn(1, 1, 28, 28):float() })
-- quantize.calibrate(prepared, batches)
-- local small = quantize.convert(prepared)
-- print(small:forward(x))
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch = require 'torch'
require 'nn'
local check, messages = require 'torch.check', require 'torch.check.message'

local quantize = {}
require 'torch.modules'.publish('quantize', quantize)

quantize.Tensor, quantize.Network = require 'quantize.Tensor', require 'quantize.Network'
local prepare, converting, report = require 'quantize.prepare', require 'quantize.convert', require 'quantize.report'
quantize.Prepared = require 'quantize.Prepared'

local function expectPrepared(where, prepared)
  if torch.typename(prepared) ~= 'quantize.Prepared' then
    check.raise(('quantize.%s: prepared: %s, expected the result of quantize.prepare'):format(where, messages.value(prepared)))
  end
end

--- Prepares a network or a graph for quantisation.
-- @tparam nn.Module|torch.Graph net a graph must not draw random numbers or write to tensors
-- @tparam[opt] table options `mode`: 'static' (default: ranges of values from `calibrate`), 'dynamic' (ranges of each run) or 'training';
-- `input`: an example of the input, needed for a module; `batch`: its dimension of examples, of which there may be any number (default 1),
-- or false; `observer`: 'minmax' (default), 'movingAverage' (default for training), 'percentile' or 'entropy'; `percentile` (99.99);
-- `share` of a new tensor in the moving average (0.1); `perChannel` scales of weights (true); `symmetric`: values as integers with a sign
-- (false); `symmetricWeights` (true); `attention`: products of two values with integers, such as those of queries and keys (true); `skips`:
-- a function of the name of an op and its weight, true for steps that stay floats; `weights`: 'int8' (default), or 'bfloat16' or 'half':
-- weights of 16 bits, with all computations in float32, without calibration
-- @treturn quantize.Prepared
-- @raise if an option is unknown or does not fit, or the network can't be captured
function quantize.prepare(net, options) return prepare(net, options) end

--- Runs a prepared network with floats, and observes the ranges of its values.
-- @tparam quantize.Prepared prepared
-- @param data a tensor or a list of tensors, one input; a list of inputs that are lists; or a function that returns the next input, or nil
-- @treturn quantize.Prepared prepared
function quantize.calibrate(prepared, data)
  expectPrepared('calibrate', prepared)
  if type(data) == 'function' then
    for input in data do prepared:observe(input) end
  elseif type(data) == 'table' and type(data[1]) == 'table' then
    for _, input in ipairs(data) do prepared:observe(input) end
  else
    prepared:observe(data)
  end
  return prepared
end

--- Returns a prepared network with integers.
-- @tparam quantize.Prepared prepared
-- @treturn quantize.Network|torch.Graph a module if a module was prepared, else a graph
-- @raise if ranges are needed and no values were seen
function quantize.convert(prepared)
  expectPrepared('convert', prepared)
  return converting.convert(prepared)
end

--- Compares a prepared network with its integers: losses by layer, sizes, times. `tostring` shows a table.
-- @tparam quantize.Prepared prepared
-- @param input a tensor, or a list of tensors
-- @treturn quantize.Report `layers`: a list of tables with `step`, `op`, `sizes` of the weight, the relative `loss` of its result, and the
-- bytes of the weight `before` and `after`; the `loss` of the first output; bytes `before` and `after`; `timeBefore`, `timeAfter` [ms]
function quantize.report(prepared, input)
  expectPrepared('report', prepared)
  return report(prepared, input)
end

return quantize
