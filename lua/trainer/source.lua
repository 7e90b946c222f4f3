--- Where batches come from: a loader, a list, or a function that returns an iterator. A source begins an epoch at any of its batches, so
-- that a run can continue in the middle of an epoch.
-- @module trainer.source
local torch, check = require 'torch', require 'torch.check'
local kindOf = require('torch.check.message').kind

-- An object that keeps its position, such as data.DataLoader.
local Positioned = {}
Positioned.__index = Positioned

function Positioned:begin() return self.data() end
function Positioned:state() return self.data:state() end
function Positioned:resume(state) self.data:resume(state) end

-- Continues an epoch that the loop left: the loader would begin the next one.
function Positioned:leave() self.data:resume(self.data:state()) end

function Positioned:size()
  return type(self.data.size) == 'function' and tonumber(self.data:size()) or nil
end

-- A list of batches.
local List = {}
List.__index = List

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

-- A function, or an object with a call, that returns an iterator for each epoch. It may draw an order from torch's generator when an epoch
-- begins: the generator's state then is recorded, and set for a repeated beginning.
local Iterators = {}
Iterators.__index = Iterators

function Iterators:begin(done)
  local continues = done > 0 and self.random ~= nil
  local present = torch.getRNGState()
  if continues then torch.setRNGState(self.random) end
  self.random = torch.getRNGState()
  local step, state, control = self.data()
  check.callable('Trainer', 'data: the iterator that it returned', step)
  local function following()
    local batch = step(state, control)
    control = batch
    return batch
  end
  for _ = 1, done do
    if following() == nil then break end
  end
  if continues then torch.setRNGState(present) end
  return following
end

function Iterators:state() return { random = self.random } end
function Iterators:resume(state) self.random = state.random end
function Iterators.leave() end
function Iterators.size() return nil end

--- Returns the source of a program's data.
--
-- - `begin(done)` -> the iterator of an epoch after its first `done` batches
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
