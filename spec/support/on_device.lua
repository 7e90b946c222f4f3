--- The registry's sweeps on the device of a library in the build folder; under the sanitizers of half of the ops.
local torch = require 'torch'
local elements = require 'torch.sweep.elements'
local sampled, sweep = require 'spec.support.sampled', require 'spec.support.sweep'

local preset = os.getenv 'MT_PRESET' or 'release'

--- @string library its name, as in `lib<library>.so`
-- @string device for the ops
-- @tparam[opt] table without the ops that have no kernel for the device -> the reason
-- @treturn function that accepts the name of a sweep, and returns an iterator over titles and checks, for `it`
return function(library, device, without)
  torch.loadDevice(('build/%s/lib/lib%s.so'):format(preset, library))
  return function(name)
    local step, i = sweep(name), 0
    return function()
      local title, check
      repeat
        title, check = step()
        i = i + 1
      until not title or sampled(i)
      if not title then return nil end
      local reason = without and without[title]
      if reason then return title .. ' has no kernel: ' .. reason, function() assert(#reason > 10, 'no reason is given') end end
      return title, function()
        elements.device = device
        local passed, problem = pcall(check)
        collectgarbage()      -- finalisers release memory now
        elements.device = nil
        if not passed then error(problem, 0) end
      end
    end
  end
end
