--- One thread that runs one piece of code.
-- @classmod threads.Thread
-- @usage local thread = threads.Thread [[ require('torch').save('x.t7', torch.rand(5)) ]]
-- thread:free()
local C = require 'libmoontorch.threads'
local environment = require 'threads.environment'

local Thread = {}
Thread.__index = Thread

local function run(code, name) assert(loadstring(code, name))() end

local function finish(self)
  local native = self._native
  self._native = nil
  local good, message = select(3, C.take(native, 0))
  C.close(native, false)
  if not good then return ('[thread] %s'):format(message) end
end

--- Waits until the thread ends.
-- @raise the error that ended the thread
function Thread:free()
  local failure = self._native and finish(self)
  if failure then error(failure, 0) end
end

local function collect(native)
  local self = debug.getfenv(native)
  local failure = self._native and C.isOfThisProcess(native) and finish(self)
  if failure then require('libmoontorch').log('threads: ' .. failure, true) end
end

--- Starts a thread with a new Lua state.
-- @function Thread
-- @string code
local function new(_, code)
  if type(code) ~= 'string' then error(('threads.Thread: code: %s, expected a string'):format(type(code)), 2) end
  local chunk, problem = loadstring(code, '=thread')
  if not chunk then error('threads.Thread: code: ' .. problem, 2) end
  local self = setmetatable({ _native = C.newPool(1, { __gc = collect }, environment.get()) }, Thread)
  debug.setfenv(self._native, self)
  C.add(self._native, 0, false, run, code, '=thread')
  return self
end

return setmetatable(Thread, { __call = new })
