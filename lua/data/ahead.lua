--- Reads a stream in a separate thread.
-- @module data.ahead
local workers = require 'data.workers'

--- Returns the function that starts a stream which is read ahead.
-- @tparam function start starts the stream
-- @int count maximum number of samples read ahead
-- @treturn function (nothing, seed) -> function that returns one sample per call
return function(start, count)
  return function(_, seed)
    local pool = workers.reader(start, seed)
    local ready, asked, arrived, given = {}, 0, 0, 0
    local function arrive(done, sample)
      arrived = arrived + 1
      ready[arrived] = { done, sample }
    end
    local function ask()
      while pool and asked - given < count do
        asked = asked + 1
        workers.read(pool, arrive)
      end
    end
    local function finish()
      pool:terminate()
      pool = nil
    end
    return function()
      if not pool then return nil end
      ask()
      while arrived == given do workers.await(pool) end
      given = given + 1
      local done, sample = ready[given][1], ready[given][2]
      ready[given] = nil
      if sample == nil or not done then finish() end
      if not done then error('data.Stream: read ahead: ' .. sample, 0) end
      ask()
      return sample
    end
  end
end
