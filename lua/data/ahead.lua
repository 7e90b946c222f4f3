--- Reads a stream in a thread of its own.
-- @module data.ahead
local workers = require 'data.workers'

--- What begins a stream that is read ahead.
-- @tparam function start begins the stream
-- @int count samples that are ready at most
-- @treturn function (nothing, seed) -> function that gives a sample a call
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
