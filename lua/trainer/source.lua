--- Where batches come from: a loader, a list, or a function that returns an iterator. A source begins an epoch at any of its batches, so
-- that a run can continue in the middle of an epoch.
-- @module trainer.source
local torch, check = require 'torch', require 'torch.check'
local kindOf = require('torch.check.message').kind

-- Calls a program's data for an epoch. The order may be drawn from torch's generator, also by a sampler: the generator's state is recorded,
-- and set again when the epoch continues. Of several ranks all have the order of the first.
local function call(self, done)
  local continues, ranks = done > 0 and self.random ~= nil, self.ranks
  local present = torch.getRNGState()
  if not continues then self.random = ranks and ranks:first(torch.getRNGState) or present end
  torch.setRNGState(self.random)
  local step, state, control = self.data()
  check.callable('Trainer', 'data: the iterator that it returned', step)
  if continues or ranks and not ranks.isFirst then torch.setRNGState(present) end
  return step, state, control
end

-- Lets a source serve one of several ranks, which takes its rows of each batch.
local function share(self, ranks) self.ranks, self.isWhole = ranks, true end

-- An object that keeps its position, such as data.DataLoader.
local Positioned = {}
Positioned.__index = Positioned

-- A loader loads its rank's part alone, unless its sampler does already.
function Positioned:share(ranks)
  share(self, ranks)
  local loader = self.data
  if not torch.isTypeOf(loader, 'data.DataLoader') then return end
  self.isWhole = false
  loader.seed = ranks:first(function() return loader.seed end)
  if not torch.isTypeOf(loader.sampler, 'data.DistributedSampler') then loader:_takePart(ranks.place, ranks.count) end
end

function Positioned:begin(done) return (call(self, done)) end
function Positioned:state() return { position = self.data:state(), random = self.random } end

function Positioned:resume(state)
  self.data:resume(state.position)
  self.random = state.random
end

-- Continues an epoch that the loop left: the loader would begin the next one.
function Positioned:leave() self.data:resume(self.data:state()) end

function Positioned:size()
  if type(self.data.size) ~= 'function' then return nil end
  local present = torch.getRNGState()
  local size = tonumber(self.data:size())
  torch.setRNGState(present)
  return size
end

-- A list of batches.
local List = {}
List.__index = List
List.share = share

function List:begin(done)
  local k = done
  return function()
    k = k + 1
    return self.data[k]
  end
end

function List:state() return { count = #self.data } end

function List:resume(state)
  if state.count ~= #self.data then
    check.raise(('data: a list of %d batches, expected %s as in the checkpoint'):format(#self.data, tostring(state.count)))
  end
end

function List.leave() end
function List:size() return #self.data end

-- A function, or an object with a call, that returns an iterator for each epoch.
local Iterators = {}
Iterators.__index = Iterators
Iterators.share = share

function Iterators:begin(done)
  local step, state, control = call(self, done)
  local function following()
    control = step(state, control)
    return control
  end
  for _ = 1, done do
    if following() == nil then break end
  end
  return following
end

function Iterators:state() return { random = self.random } end
function Iterators:resume(state) self.random = state.random end
function Iterators.leave() end
function Iterators.size() return nil end

--- Returns the source of a program's data.
--
-- - `begin(done)` -> the iterator of an epoch after its first `done` batches
-- - `share(ranks)`: this is one of several processes; if `isWhole` then, its batches are those of all of them
-- - `leave()`: the epoch will continue with another iterator
-- - `state()` -> the position, `resume(state)` continues there; `size()` -> batches per epoch, if known
-- @string where the start of messages
-- @string name of the option
-- @param data
-- @treturn table
return function(where, name, data)
  local isObject, metatable = type(data) == 'table', debug.getmetatable(data)
  local isCallable = type(data) == 'function' or metatable and metatable.__call ~= nil and not torch.isTensor(data)
  if isObject and isCallable and type(data.state) == 'function' and type(data.resume) == 'function' then
    return setmetatable({ data = data }, Positioned)
  end
  local isSet = isObject and type(data.get) == 'function'
  if isCallable and not isSet then return setmetatable({ data = data }, Iterators) end
  if isObject and metatable == nil and data[1] ~= nil then return setmetatable({ data = data }, List) end
  check.raise(('%s: %s: %s, expected a data.DataLoader, a list of batches, or a function that returns an iterator%s'):format(where, name,
    isObject and metatable == nil and 'an empty table' or kindOf(data), isSet and ': data.DataLoader(set) is one' or ''))
end
