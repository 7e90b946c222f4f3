--- Objects that threads share: what a class says about its objects in messages between threads. Files, and so messages between processes,
-- can't contain them: they could name what is not theirs.
-- @module ipc.passing
local torch, check = require 'torch', require 'torch.check'
local threads = require 'threads'

--- Makes a class's objects pass between threads by reference.
-- @tparam table class
-- @tparam {string,...} fields of its objects
return function(class, fields)
  local function refuseFiles(tape)
    if torch.isTypeOf(tape, 'torch.File') then
      check.raise(('%s: an object of threads, which no file and no other process can have'):format(class.__typename))
    end
  end

  function class:__write(tape)
    refuseFiles(tape)
    for _, name in ipairs(fields) do tape:writeObject(threads.reference(self[name])) end
  end

  function class:__read(tape)
    refuseFiles(tape)
    for _, name in ipairs(fields) do self[name] = tape:readObject() end
  end
end
