--- The registry's sweeps on the test device (spec/device), whose memory the host may not touch: whatever reads an element of it outside of
-- a kernel ends the process.
local torch = require 'torch'
local elements = require 'spec.support.elements'
local sweep = require 'spec.support.sweep'

local preset = os.getenv 'MT_PRESET' or 'release'
torch.loadDevice(('build/%s/lib/libtest_device.so'):format(preset))

--- @string name of a sweep
-- @treturn function iterator over titles and checks, for `it`
return function(name)
  local step = sweep(name)
  return function()
    local title, check = step()
    if not title then return nil end
    return title, function()
      elements.device = 'test'
      local passed, problem = pcall(check)
      collectgarbage()      -- the gate's costs grow with the memory that is in use
      elements.device = nil
      if not passed then error(problem, 0) end
    end
  end
end
