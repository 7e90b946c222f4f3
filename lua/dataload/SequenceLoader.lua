--- One long sequence, split into consecutive parts, one per column of a batch; the target of a step is the next one.
-- @classmod dl.SequenceLoader
local torch = require 'torch'
local check = require 'torch.check'
local dl = require 'dataload'
local nested = require 'dataload.nested'

local SequenceLoader, parent = torch.class('dl.SequenceLoader', 'dl.DataLoader', dl)

--- @tparam torch.Tensor sequence steps, or steps x anything
-- @int batchsize number of columns
-- @bool[opt=false] bidirectional whether the target of a step is the step itself
function SequenceLoader:__init(sequence, batchsize, bidirectional)
  parent.__init(self)
  check.tensor('dl.SequenceLoader', 'sequence', sequence)
  local steps = sequence:dim() > 0 and sequence:size(1) or 0
  self.batchsize = check.int('dl.SequenceLoader', 'batchsize', batchsize, { min = 1 })
  self.bidirectional = bidirectional or false
  local length = math.floor(steps / batchsize)
  check.that(length > (bidirectional and 0 or 1), ('dl.SequenceLoader: sequence: %d steps, expected more for %d columns'):format(
    steps, batchsize))
  local sizes = sequence:size():totable()
  table.remove(sizes, 1)
  local pieces = sequence:narrow(1, 1, length * batchsize):contiguous():view(torch.LongStorage { batchsize, length, unpack(sizes) })
  self.data = pieces:transpose(1, 2):contiguous()
end

--- The steps from start to stop, and the steps one later, as views: (stop - start + 1) x columns.
function SequenceLoader:sub(start, stop)
  local size = self:size()
  check.int('dl.SequenceLoader', 'start', start, { min = 1, max = size })
  check.int('dl.SequenceLoader', 'stop', stop, { min = start, max = size })
  local inputs = nested.sub(self.data, start, stop)
  return inputs, self.bidirectional and inputs or nested.sub(self.data, start + 1, stop + 1)
end

function SequenceLoader.sample() check.raise 'dl.SequenceLoader: sample: Not Implemented' end
function SequenceLoader.sampleiter() check.raise 'dl.SequenceLoader: sampleiter: Not Implemented. Use subiter instead.' end

--- The number of steps per column that have a target.
function SequenceLoader:size() return self.data:size(1) - (self.bidirectional and 0 or 1) end
function SequenceLoader:isize(excludedim) return nested.size(self.data, excludedim or 1) end
SequenceLoader.tsize = SequenceLoader.isize

return SequenceLoader
