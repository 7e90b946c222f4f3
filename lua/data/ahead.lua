--- Reads a stream in a thread of its own.
-- @module data.ahead

local function startReader(start, seed)
  local threads = require 'threads'
  local before = threads.Threads.serialization()
  threads.Threads.serialization 'threads.sharedserialize'
  local pool = threads.Threads(1, function()
    if seed then require('torch').manualSeed(seed) end
    local following = start(seed)
    _G.followingSample = following
  end)
  threads.Threads.serialization(before)
  return pool
end

--- What begins a stream that is read ahead.
-- @tparam function start begins the stream
-- @int count samples that are ready at most
-- @treturn function (nothing, seed) -> function that gives a sample a call
return function(start, count)
  return function(_, seed)
    local pool, ready, first, last, ended = startReader(start, seed), {}, 1, 0, false
    local function arrived(sample)
      last = last + 1
      ready[last] = sample
      ended = ended or sample == nil
    end
    local asked = 0
    return function()
      while not ended and asked - first + 1 < count do
        asked = asked + 1
        pool:addjob(function() return followingSample() end, arrived)      -- luacheck: ignore 113
      end
      while last < first and not (ended and last < first) do pool:dojob() end
      local sample = ready[first]
      ready[first], first = nil, first + 1
      return sample
    end
  end
end
