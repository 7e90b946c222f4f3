--- Work queues: the thread that made one writes questions and reads answers, other threads read questions and write answers.
-- @classmod ipc.Workqueue
local torch, check = require 'torch', require 'torch.check'
local threads = require 'threads'
local registry = require 'ipc.registry'
local channel, ipc = require 'ipc.channel', require 'ipc'

local Workqueue = torch.class('ipc.Workqueue', ipc)

local here = threads.Mutex()      -- its number is this thread's among all

function Workqueue:__init(name)
  self._questions, self._answers, self._owner, self._name = channel(), channel(), here:id(), name or false
end

-- The queue that this thread reads, or writes.
local function towards(self, isReader, where)
  if self._questions:closed() then check.raise(('ipc.workqueue: %s: workqueue is not open'):format(where)) end
  return (self._owner == here:id()) == isReader and self._answers or self._questions
end

--- Adds items: questions in the thread that made the queue, answers in others.
-- @param ... an item each; nil is one, too. Tensors are passed by reference, functions with their upvalues
function Workqueue:write(...) towards(self, false, 'write'):_add('ipc.workqueue: write', ...) end

--- The same as `write`, which torch-ipc restricts to functions without upvalues.
-- @function Workqueue:writeup
Workqueue.writeup = Workqueue.write

-- The item of a channel's `read`, if there was one.
local function item(state, ...)
  if select('#', ...) > 0 then return ... end
  if state ~= channel.OPEN then check.raise 'ipc.workqueue: read: workqueue is not open' end
end

--- Takes the next answer in the thread that made the queue, the next question in others; waits for it.
-- @bool[opt=false] nonblocking returns nothing if there is none
-- @return the item
function Workqueue:read(nonblocking) return item(towards(self, true, 'read'):read(nonblocking)) end

--- Waits until there are as many answers as there were questions and answers.
-- @raise in other threads than the one that made the queue
function Workqueue:drain()
  check.that(self._owner == here:id(), 'ipc.workqueue: drain: workqueue drain is only available on the owner thread')
  towards(self, true, 'drain'):_await(self._questions:num_items() + self._answers:num_items())
end

--- Closes the queue for all threads; those that wait for an item get an error.
function Workqueue:close()
  self._questions:close()
  self._answers:close()
  if self._name then registry.close(self._name) end
end

check.methods(Workqueue, 'an ipc.workqueue')
require 'ipc.passing'(Workqueue, { '_questions', '_answers', '_owner', '_name' })

--- A new queue; with a name, the queue of that name, which threads of `ipc.map` share.
-- @string[opt] name
-- @int[opt] size for torch-ipc's programs: queues grow by themselves
-- @treturn ipc.Workqueue
-- @treturn int 1 if it is new, else 0
return function(name, size)
  if name == nil then return Workqueue(), 1 end
  name = check.text('ipc.workqueue', 'name', name)
  if size ~= nil then check.int('ipc.workqueue', 'size', size, { min = 0 }) end
  local queue, isNew = registry.open(name, function() return Workqueue(name) end)
  return queue, isNew and 1 or 0
end
