--- Print options of tensors: torch.setprintoptions and torch.getprintoptions, with PyTorch's names.
-- @module torch.tensor.print_options
local check = require 'torch.check'
local options = require('torch.tensor.display').options

local printing = {}

local names = { 'precision', 'linewidth', 'threshold', 'edgeitems', 'format', 'sciMode' }
local least, most = { precision = 0, linewidth = 10, threshold = 0, edgeitems = 1 }, { precision = 17 }

--- Sets how tensors are printed.
-- @tparam table given any of: `precision`, digits after the point (4); `linewidth`, columns of text beyond which a matrix is split into
--   blocks (80); `threshold`, number of elements beyond which a tensor is printed by the edges of its dimensions (false: all are printed,
--   as in Torch7; unless set, values shown in th use 1000); `edgeitems`, number of elements at each end that are then printed (3);
--   `sciMode`, whether numbers are printed with exponents ('auto': if very large and very small ones are together), as in PyTorch;
--   `format`, for every number, a format of string.format such as '%8.2f' or '%g', or a function that returns its text (false: none)
-- @treturn table the previous settings, which this function accepts
-- @usage local before = torch.setprintoptions { precision = 8, threshold = 100 }
function printing.setprintoptions(given)
  given = check.options('torch.setprintoptions', given, names)
  local before = printing.getprintoptions()
  local format, sciMode = given.format, given.sciMode
  if type(format) == 'string' then
    local conversions, rest = 0, format:gsub('%%%%', '')
    rest = rest:gsub('%%[%-+ #0]*%d?%d?%.?%d?%d?[eEfgGdiaA]', function()
      conversions = conversions + 1
      return ''
    end)
    check.that(conversions == 1 and not rest:find '%%' and pcall(string.format, format, 1.5),
      ("torch.setprintoptions: format: '%s', expected a format of one number, such as '%%.3f'"):format(format))
  elseif format ~= nil and format ~= false then
    check.that(type(format) == 'function', ("torch.setprintoptions: format: %s, expected a format such as '%%.3f', a function or false")
      :format(check.describe(format)))
  end
  check.that(sciMode == nil or sciMode == 'auto' or type(sciMode) == 'boolean',
    ("torch.setprintoptions: sciMode: %s, expected true, false or 'auto'"):format(check.describe(sciMode)))
  for name, value in pairs(given) do
    if name ~= 'format' and name ~= 'sciMode' and not (name == 'threshold' and value == false) then
      check.int('torch.setprintoptions', name, value, { min = least[name], max = most[name] })
    end
  end
  for name, value in pairs(given) do
    if name == 'sciMode' then
      options.sciMode = nil
      if value ~= 'auto' then options.sciMode = value end
    else
      options[name] = value or nil
    end
  end
  return before
end

--- Returns how tensors are printed.
-- @treturn table `precision`, `linewidth`, `threshold` (false: no limit), `edgeitems`, `format` (false: none), `sciMode`
function printing.getprintoptions()
  local sciMode = options.sciMode
  if sciMode == nil then sciMode = 'auto' end
  return {
    precision = options.precision, linewidth = options.linewidth, threshold = options.threshold or false, edgeitems = options.edgeitems,
    format = options.format or false, sciMode = sciMode,
  }
end

return printing
