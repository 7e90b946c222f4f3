--- An event file for TensorBoard (`tensorboard --logdir FOLDER`): scalars, histograms, pictures and texts, with the methods of PyTorch's
-- SummaryWriter.
-- @classmod trainer.SummaryWriter
-- @usage local writer = trainer.SummaryWriter 'runs/first'
-- writer:addScalar('loss', 0.5, 1)
-- writer:addHistogram('weight', net:get(1).weight, 1)
local ffi = require 'ffi'
local torch, check, trainer, paths = require 'torch', require 'torch.check', require 'trainer', require 'paths'
local messages, LogFile, clock = require 'trainer.event_messages', require 'trainer.log_file', require 'torch.clock'
local libc = require 'torch.file.libc'

local SummaryWriter = torch.class('trainer.SummaryWriter', trainer)

local largestStep = 2 ^ 53
local writers = 0      -- number of writers of this process

--- @string logDir the folder, which is created with the first event; each writer has a file of its own there
function SummaryWriter:__init(logDir)
  self.logDir = check.name('trainer.SummaryWriter', 'logDir', logDir)
  writers = writers + 1
  self._name = ('events.out.tfevents.%010.0f.moontorch.%d.%d'):format(clock.wall(), libc.pid(), writers)
  self._file = LogFile.new(paths.concat(self.logDir, self._name))
end

-- Writes an event.
local function write(self, method, tag, step, plugin, value)
  local where = 'trainer.SummaryWriter.' .. method
  tag = check.text(where, 'tag', tag)
  check.int(where, 'step', step, { min = 0, max = largestStep })
  local time = clock.wall()
  local first = self._file.bytes == 0 and messages.record(messages.version(time)) or ''
  self._file:write(where, first, messages.record(messages.summary(time, step, tag, plugin, value)))
  return self
end

--- Adds a number.
-- @string tag a name; names with the same beginning before a slash are shown together
-- @tparam number|torch.Tensor value a number, or a tensor with one element; stored as float32
-- @int step
-- @treturn trainer.SummaryWriter self
function SummaryWriter:addScalar(tag, value, step)
  if torch.isTensor(value) and value:nElement() == 1 then value = value:detach():view(-1)[1] end
  if value == value then check.number('trainer.SummaryWriter.addScalar', 'value', value) end      -- NaN is a value, too
  return write(self, 'addScalar', tag, step, 'scalars', messages.scalar(value))
end

-- Returns equal intervals { left, right, count } between the extremes; the last one includes its right edge. Equal elements have one.
local function buckets(x, bins)
  local finite = x:nElement() > 0 and x:maskedSelect(torch.isfinite(x)) or x
  if finite:nElement() == 0 then return {} end
  if finite:min() == finite:max() then bins = 1 end
  local counts, edges = torch.histogram(finite, bins)
  local list = {}
  for i = 1, bins do list[i] = { edges[i], edges[i + 1], counts[i] } end
  return list
end

--- Adds the distribution of a tensor's elements.
-- @string tag
-- @tparam torch.Tensor values any sizes and type; NaN and infinities are left out
-- @int step
-- @tparam[opt] table options `bins`: number of intervals (30)
-- @treturn trainer.SummaryWriter self
function SummaryWriter:addHistogram(tag, values, step, options)
  local where = 'trainer.SummaryWriter.addHistogram'
  options = check.options(where, options, { 'bins' })
  local bins = check.int(where, 'bins', options.bins or 30, { min = 1, max = 1e6 })
  local x = check.tensor(where, 'values', values):detach():double():contiguous():view(-1)
  return write(self, 'addHistogram', tag, step, 'histograms', messages.histogram(buckets(x, bins)))
end

--- Adds a picture, as a PNG file. Needs the package image.
-- @string tag
-- @tparam torch.Tensor picture height x width, or 1, 3 or 4 channels x height x width; from 0 to 1, or bytes
-- @int step
-- @treturn trainer.SummaryWriter self
function SummaryWriter:addImage(tag, picture, step)
  check.tensor('trainer.SummaryWriter.addImage', 'picture', picture)
  local bytes = check.call(function() return require('image').compressPNG(picture) end)
  local dimensions = picture:dim()
  local texts = { tostring(picture:size(dimensions)), tostring(picture:size(dimensions - 1)), ffi.string(bytes:data(), bytes:nElement()) }
  return write(self, 'addImage', tag, step, 'images', messages.texts(texts))
end

--- Adds a text, which TensorBoard shows as Markdown.
-- @string tag
-- @string text
-- @int step
-- @treturn trainer.SummaryWriter self
function SummaryWriter:addText(tag, text, step)
  text = check.text('trainer.SummaryWriter.addText', 'text', text)
  return write(self, 'addText', tag, step, 'text', messages.texts({ text }, true))
end

--- Adds numbers by name as scalars, as a trainer's log: dots in names become slashes.
-- @tparam table values with the field `step`
-- @treturn trainer.SummaryWriter self
function SummaryWriter:add(values)
  local where = 'trainer.SummaryWriter.add'
  local step = check.int(where, 'step', check.table(where, 'values', values).step, { min = 0, max = largestStep })
  local names = {}
  for name, value in pairs(values) do
    if type(name) == 'string' and name ~= 'step' and type(value) == 'number' then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do self:addScalar(name:gsub('%.', '/'), values[name], step) end
  return self
end

--- Returns the position, for checkpoints.
-- @treturn table
function SummaryWriter:state() return { name = self._name, bytes = self._file.bytes } end

--- Continues from a position, in the same file: later events are removed.
-- @tparam table state
function SummaryWriter:resume(state)
  local where = 'trainer.SummaryWriter.resume'
  local name = check.name(where, 'state.name', check.table(where, 'state', state).name)
  check.that(name:find '^events[%w.-]+$', where .. ': state.name: expected the name of an event file')
  check.int(where, 'state.bytes', state.bytes, { min = 0 })
  self._file:close()
  self._name, self._file = name, LogFile.new(paths.concat(self.logDir, name))
  self._file:rewind(where, state.bytes)
end

--- Closes the file; a later event opens it again, at its end.
function SummaryWriter:close() self._file:close() end

return { SummaryWriter = trainer.SummaryWriter }
