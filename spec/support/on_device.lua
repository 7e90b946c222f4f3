--- The registry's sweeps on a device of a library in the build's folder.
local torch = require 'torch'
local elements = require 'torch.sweep.elements'
local sweep = require 'spec.support.sweep'

local preset = os.getenv 'MT_PRESET' or 'release'

--- @string library its name, as in `lib<library>.so`
-- @string device where the ops run
-- @treturn function which takes the name of a sweep, and gives an iterator over titles and checks, for `it`
return function(library, device)
  torch.loadDevice(('build/%s/lib/lib%s.so'):format(preset, library))
  return function(name)
    local step = sweep(name)
    return function()
      local title, check = step()
      if not title then return nil end
      return title, function()
        elements.device = device
        local passed, problem = pcall(check)
        collectgarbage()      -- what is freed is found to be so
        elements.device = nil
        if not passed then error(problem, 0) end
      end
    end
  end
end
