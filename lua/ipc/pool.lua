--- Threads of ipc: pools of the package threads that pass tensors by reference, and share the names of queues.
-- @module ipc.pool
local check = require 'torch.check'
local threads = require 'threads'
local registry = require 'ipc.registry'

local pool = {}

--- Returns a pool.
-- @string where the start of messages
-- @int n number of threads, from 1 to 1000
function pool.new(where, n)
  check.int(where, 'n', n, { min = 1, max = 1000 })
  local before = threads.serialization()
  threads.serialization 'threads.sharedserialize'
  local good, made = pcall(threads.Threads, n)
  threads.serialization(before)
  if not good then check.raise((made:gsub('threads%.Threads: N', where .. ': n'))) end
  return made
end

-- Runs in a thread.
local function run(names, init, catches, f, ...)
  local global = _G.require
  global 'torch'
  global('ipc.registry').adopt(names)
  if type(init) == 'string' then
    local chunk, problem = loadstring(init, '=init')
    if not chunk then error('ipc.map_extended: ' .. problem, 0) end
    init = chunk
  end
  if init then init() end
  if catches then return pcall(f, ...) end
  return f(...)
end

--- Adds a job that calls f(...).
-- @string where the start of messages
-- @tparam table threadPool
-- @tparam ?int id the thread, of a specific pool
-- @tparam function finish (results...)
-- @param init a function, Lua code or nil, which runs before
-- @bool catches whether the results are those of pcall(f, ...)
-- @tparam function f
-- @param ... arguments
-- @raise that an argument can't go to a thread; the pool is unchanged
function pool.add(where, threadPool, id, finish, init, catches, f, ...)
  local good, problem
  if id then
    good, problem = pcall(threadPool.addjob, threadPool, id, run, finish, registry.get(), init, catches, f, ...)
  else
    good, problem = pcall(threadPool.addjob, threadPool, run, finish, registry.get(), init, catches, f, ...)
  end
  if good then return end
  check.raise((tostring(problem):gsub('^.-addjob: argument (%d+)', function(i)
    return ('%s: %s'):format(where, i == '4' and 'f' or 'argument ' .. i - 4)
  end)))
end

return pool
