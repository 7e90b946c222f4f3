--- Sequences of pictures, each with a target picture: `datapath/sequence/input1.jpg`, `target1.jpg`, `input2.jpg`, ...
-- @classmod dl.MultiImageSequence
local torch = require 'torch'
local check = require 'torch.check'
local paths = require 'paths'
local Columns = require 'dataload.columns'
local dl = require 'dataload'
local nested = require 'dataload.nested'
local pictures = require 'dataload.pictures'

local MultiImageSequence, parent = torch.class('dl.MultiImageSequence', 'dl.DataLoader', dl)

local where = 'dl.MultiImageSequence'

local function sizesOf(name, sizes, otherwise)
  if sizes == nil then return otherwise end
  check.table(where, name, sizes)
  return { pictures.size(where, name .. '[1]', sizes[1]), pictures.size(where, name .. '[2]', sizes[2] or sizes[1]) }
end

--- @string datapath a folder with one folder per sequence
-- @int batchsize number of columns
-- @tparam {table,table} loadsize sizes (channels, height, width) at which inputs and targets are read
-- @tparam[opt] {table,table} samplesize sizes of samples; default: loadsize
-- @tparam[opt='sampleDefault'] string|function samplefunc 'sampleDefault' (scaled), 'sampleTrain' (a random part, the same for
-- input and target), or a function `f(self, input, target)` that returns both
-- @bool[opt=true] verbose whether to print their number
function MultiImageSequence:__init(datapath, batchsize, loadsize, samplesize, samplefunc, verbose)
  parent.__init(self)
  self.datapath = check.name(where, 'datapath', datapath)
  check.that(paths.dirp(datapath), ('%s: datapath: %s, expected a folder'):format(where, datapath))
  self.batchsize = check.int(where, 'batchsize', batchsize, { min = 1 })
  self.loadsize = check.that(sizesOf('loadsize', loadsize), where .. ': loadsize: nil, expected two sizes')
  self.samplesize = sizesOf('samplesize', samplesize, self.loadsize)
  self.samplefunc = samplefunc or 'sampleDefault'
  self.inputpattern, self.targetpattern = 'input%d.jpg', 'target%d.jpg'
  self.randseq, self.cropeverystep, self.varyloadsize, self.scaleeverystep = false, false, false, false
  self.sequences = {}
  for name in paths.iterdirs(datapath) do self.sequences[#self.sequences + 1] = paths.concat(datapath, name) end
  table.sort(self.sequences)
  check.that(#self.sequences > 0, ('%s: datapath: %s has no folders, expected one a sequence'):format(where, datapath))
  if verbose ~= false then print(('%d sequences of pictures'):format(#self.sequences)) end
end

local function file(self, sequence, pattern, step) return paths.concat(self.sequences[sequence], pattern:format(step)) end

-- The number of steps in a sequence: input1, input2, ... as long as files exist.
function MultiImageSequence:_length(sequence)
  self._lengths = self._lengths or {}
  if not self._lengths[sequence] then
    local count = 0
    while paths.filep(file(self, sequence, self.inputpattern, count + 1)) do count = count + 1 end
    check.that(count > 0, ('%s: %s is missing'):format(where, file(self, sequence, self.inputpattern, 1)))
    self._lengths[sequence] = count
  end
  return self._lengths[sequence]
end

--- The approximate number of steps per column.
function MultiImageSequence:size()
  local steps = 0
  for i = 1, #self.sequences do steps = steps + self:_length(i) + 1 end
  return math.ceil(steps / self.batchsize)
end

--- Restarts at the first sequence.
function MultiImageSequence:reset()
  parent.reset(self)
  self._columns = nil
end

-- A random size between that of samples and that of loaded pictures.
local function variedSize(loadsize, samplesize)
  local factor = torch.uniform(math.max(samplesize[2] / loadsize[2], samplesize[3] / loadsize[3]), 1)
  return { loadsize[1], math.ceil(loadsize[2] * factor), math.ceil(loadsize[3] * factor) }, factor
end

-- Random sizes and positions, constant in a column until the next sequence begins, unless they change with every step.
local function drawn(self, column, begins)
  self._drawn = self._drawn or {}
  local state = self._drawn[column] or {}
  self._drawn[column] = state
  if begins or not state.loadsize or self.scaleeverystep then
    state.loadsize, state.x, state.y = self.loadsize, nil, nil
    if self.varyloadsize then
      local size, factor = variedSize(self.loadsize[1], self.samplesize[1])
      state.loadsize = { size, { self.loadsize[2][1], math.ceil(self.loadsize[2][2] * factor), math.ceil(self.loadsize[2][3] * factor) } }
    end
  end
  if begins or not state.x or self.cropeverystep then state.x, state.y = torch.uniform(), torch.uniform() end
  return state
end

-- A part of a picture at a position given by two numbers from 0 to 1.
local function part(picture, size, state)
  local height, width = math.min(size[2], picture:size(2)), math.min(size[3], picture:size(3))
  local top, left = math.floor(state.y * (picture:size(2) - height)) + 1, math.floor(state.x * (picture:size(3) - width)) + 1
  return pictures.scale(picture:narrow(2, top, height):narrow(3, left, width), size[2], size[3])
end

local function samplesOf(self, state, input, target)
  if type(self.samplefunc) == 'function' then return self.samplefunc(self, input, target) end
  if self.samplefunc == 'sampleTrain' then
    return part(input, self.samplesize[1], state), part(target, self.samplesize[2], state)
  end
  check.that(self.samplefunc == 'sampleDefault', ("%s: samplefunc: %s, expected 'sampleDefault', 'sampleTrain' or a function"):format(
    where, tostring(self.samplefunc)))
  local first, second = self.samplesize[1], self.samplesize[2]
  return pictures.scale(input, first[2], first[3]), pictures.scale(target, second[2], second[3])
end

--- The next stop - start + 1 steps of every column, with a step of zeros between sequences.
-- @int start
-- @int stop
-- @tparam[opt] torch.FloatTensor inputs to write to
-- @tparam[opt] torch.FloatTensor targets to write to
-- @treturn torch.FloatTensor steps x columns x channels x height x width
-- @treturn torch.FloatTensor likewise
function MultiImageSequence:sub(start, stop, inputs, targets)
  local steps = check.int(where, 'stop', stop, { min = check.int(where, 'start', start) }) - start + 1
  self._columns = self._columns or Columns.new(self.batchsize, #self.sequences)
  inputs = nested.buffer(inputs, torch.FloatTensor(), steps, self.batchsize, unpack(self.samplesize[1]))
  targets = nested.buffer(targets, torch.FloatTensor(), steps, self.batchsize, unpack(self.samplesize[2]))
  inputs:zero()
  targets:zero()
  local function lengthOf(i) return self:_length(i) end
  for column = 1, self.batchsize do
    for step = 1, steps do
      local sequence, at = self._columns:advance(column, lengthOf, self.randseq)
      if at > 0 then
        local state = drawn(self, column, at == 1)
        local input = pictures.load(file(self, sequence, self.inputpattern, at), state.loadsize[1])
        local target = pictures.load(file(self, sequence, self.targetpattern, at), state.loadsize[2])
        input, target = samplesOf(self, state, input, target)
        inputs[step][column]:copy(input)
        targets[step][column]:copy(target)
      end
    end
  end
  return inputs, targets
end

function MultiImageSequence.sample() check.raise(where .. ': sample: Not Implemented') end
function MultiImageSequence.sampleiter() check.raise(where .. ': sampleiter: Not Implemented. Use subiter instead.') end
function MultiImageSequence:isize() return self.samplesize[1] end
function MultiImageSequence:tsize() return self.samplesize[2] end

return MultiImageSequence
