--- Threads and processes that talk to each other: servers and clients, trees that add up tensors, functions in threads, queues.
-- Programs require it as `libipc`, too. See docs/packages/ipc.md.
-- @module ipc
-- @usage local ipc = require 'libipc'
-- local server, port = ipc.server()
-- local map = ipc.map(2, function(port, id)
--   local client = require('libipc').client(port)
--   client:send(torch.ones(3):mul(id))
-- end, port)
-- server:clients(2, function(client) print(client:recv()) end)
-- map:join()
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local ipc = {}
require 'torch.modules'.publish('ipc', ipc)

require 'torch.start.lazy_loader'(ipc, [[
  server = ipc.server
  client = ipc.client
  ipc.map: map map_extended
  channel = ipc.channel
  workqueue = ipc.workqueue
  mutex = ipc.mutex
  marshal = ipc.marshal
  ipc.sharedtable: sharedtable sharedtable_size
  ipc.children: fork waitpid spawn
  ipc.system: getpid getppid gettid isOSX isDevel flock
]])

-- The classes of objects that come from other threads.
require 'ipc.client'
require 'ipc.workqueue'
require 'ipc.mutex'
require 'ipc.marshal'

return ipc
