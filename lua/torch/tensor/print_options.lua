--- Print options of tensors: torch.setprintoptions and torch.getprintoptions, with PyTorch's names.
-- @module torch.tensor.print_options
local check = require 'torch.check'
local options = require('torch.tensor.display').options

local printing = {}

local names = { 'precision', 'linewidth', 'threshold', 'edgeitems' }
local least, most = { precision = 0, linewidth = 10, threshold = 0, edgeitems = 1 }, { precision = 17 }

--- Sets how tensors are printed.
-- @tparam table given any of: `precision`, digits after the point (4); `linewidth`, columns of text beyond which a matrix is split into
--   blocks (80); `threshold`, number of elements beyond which a tensor is printed by the edges of its dimensions (false: all are printed,
--   as in Torch7; unless set, values shown in th use 1000); `edgeitems`, number of elements at each end that are then printed (3)
-- @treturn table the previous settings, which this function accepts
-- @usage local before = torch.setprintoptions { precision = 8, threshold = 100 }
function printing.setprintoptions(given)
  given = check.options('torch.setprintoptions', given, names)
  local before = printing.getprintoptions()
  for name, value in pairs(given) do
    if not (name == 'threshold' and value == false) then
      check.int('torch.setprintoptions', name, value, { min = least[name], max = most[name] })
    end
  end
  for name, value in pairs(given) do options[name] = value or nil end
  return before
end

--- Returns how tensors are printed.
-- @treturn table `precision`, `linewidth`, `threshold` (false: no limit), `edgeitems`
function printing.getprintoptions()
  return {
    precision = options.precision, linewidth = options.linewidth, threshold = options.threshold or false, edgeitems = options.edgeitems,
  }
end

return printing
