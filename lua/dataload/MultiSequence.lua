--- Many sequences: every column of a batch has complete sequences, with a separator step before each.
-- @classmod dl.MultiSequence
local torch = require 'torch'
local check = require 'torch.check'
local Columns = require 'dataload.columns'
local dl = require 'dataload'
local nested = require 'dataload.nested'

local MultiSequence, parent = torch.class('dl.MultiSequence', 'dl.DataLoader', dl)

--- @tparam {torch.Tensor,...} sequences a list or tds.Vec of tensors: steps, or steps x anything
-- @int batchsize number of columns
function MultiSequence:__init(sequences, batchsize)
  parent.__init(self)
  check.that(type(sequences) == 'table' or torch.type(sequences) == 'tds.Vec',
    ('dl.MultiSequence: sequences: %s, expected a list or tds.Vec of tensors'):format(torch.type(sequences)))
  check.that(#sequences > 0, 'dl.MultiSequence: sequences: none')
  self.batchsize = check.int('dl.MultiSequence', 'batchsize', batchsize, { min = 1 })
  self.sequences, self.randseq = sequences, false
  local steps = 0
  for i = 1, #sequences do
    check.tensor('dl.MultiSequence', ('sequences[%d]'):format(i), sequences[i])
    steps = steps + sequences[i]:size(1)
  end
  self.seqlen = math.ceil(steps / batchsize)
  self:reset()
end

--- Restarts at the first sequence.
function MultiSequence:reset()
  parent.reset(self)
  self._columns = nil
end

--- The approximate number of steps per column.
function MultiSequence:size() return self.seqlen end

--- The next stop - start + 1 steps of every column, which continue from the last call. Before each sequence there is a step with
-- input 0 and target 1 (or 0 if steps are tensors); inside a sequence, the target is the next input.
-- @int start
-- @int stop
-- @tparam[opt] torch.Tensor inputs to write to
-- @tparam[opt] torch.Tensor targets to write to
-- @treturn torch.Tensor steps x columns x size of a step
-- @treturn torch.Tensor likewise
function MultiSequence:sub(start, stop, inputs, targets)
  local steps = check.int('dl.MultiSequence', 'stop', stop, { min = check.int('dl.MultiSequence', 'start', start) }) - start + 1
  local sequences, first = self.sequences, self.sequences[1]
  self._columns = self._columns or Columns.new(self.batchsize, #sequences)
  local sizes = first:size():totable()
  sizes[1] = steps
  table.insert(sizes, 2, self.batchsize)
  inputs, targets = nested.buffer(inputs, first, unpack(sizes)), nested.buffer(targets, first, unpack(sizes))
  inputs:zero()
  targets:fill(first:dim() == 1 and 1 or 0)
  local function lengthOf(i) return sequences[i]:size(1) - 1 end
  for column = 1, self.batchsize do
    local step = 1
    while step <= steps do
      local sequence, at = self._columns:advance(column, lengthOf, self.randseq)
      if at == 0 then
        step = step + 1
      else
        local x = sequences[sequence]
        local count = math.min(steps - step + 1, x:size(1) - at)
        inputs:narrow(1, step, count):select(2, column):copy(x:narrow(1, at, count))
        targets:narrow(1, step, count):select(2, column):copy(x:narrow(1, at + 1, count))
        self._columns.step[column] = at + count - 1
        step = step + count
      end
    end
  end
  return inputs, targets
end

function MultiSequence.sample() check.raise 'dl.MultiSequence: sample: Not Implemented' end
function MultiSequence.sampleiter() check.raise 'dl.MultiSequence: sampleiter: Not Implemented. Use subiter instead.' end

function MultiSequence:isize() return nested.size(self.sequences[1], 1) end
MultiSequence.tsize = MultiSequence.isize

return MultiSequence
