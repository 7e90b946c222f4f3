-- Every loader reads files that fuzzing has found interesting (spec/fuzz/corpus, from spec/fuzz/run.lua) and some new ones. It returns a
-- value or raises one sentence with the file's name, without a crash or a large allocation.
local formats = require 'spec.fuzz.formats'
local search = require 'spec.fuzz.search'

local fresh = 150

describe('a hostile file', function()
  local stderr = io.stderr
  setup(function() rawset(io, 'stderr', { write = function() end }) end)      -- warnings of unknown classes
  teardown(function() rawset(io, 'stderr', stderr) end)

  for name, format in pairs(formats) do
    it('gives a value or a sentence: ' .. name, function()
      local file, clear = search.place(format)
      local files = search.stored(name)
      for _, bytes in ipairs(format.seeds()) do files[#files + 1] = bytes end
      for i = 1, fresh do files[#files + 1] = search.changed(format, files[i % #files + 1], files[math.random(#files)]) end
      for i, bytes in ipairs(files) do
        local problem = search.try(format, file, bytes)
        if problem then error(('file %d of %d: %s'):format(i, #files, problem)) end
      end
      clear()
    end)
  end
end)
