--- How tensors are printed: torch.setprintoptions and torch.getprintoptions, by PyTorch's names.
-- @module torch.tensor.print_options
local check = require 'torch.check'
local options = require('torch.tensor.display').options

local printing = {}

local names = { 'precision', 'linewidth', 'threshold', 'edgeitems' }
local least, most = { precision = 0, linewidth = 10, threshold = 0, edgeitems = 1 }, { precision = 17 }

--- Says how tensors are printed from now on.
-- @tparam table given of any of: `precision`, digits after the point (4); `linewidth`, columns of text beyond which a matrix is written in
-- blocks (80); `threshold`, elements beyond which a tensor is shown by the edges of its dimensions (false: all are written, as in Torch7; a
-- value shown in th has 1000 unless this is set); `edgeitems`, how many of each end are kept then (3)
-- @treturn table the settings before, which this function takes again
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

--- How tensors are printed.
-- @treturn table `precision`, `linewidth`, `threshold` (false: no limit), `edgeitems`
function printing.getprintoptions()
  return {
    precision = options.precision, linewidth = options.linewidth, threshold = options.threshold or false, edgeitems = options.edgeitems,
  }
end

return printing
