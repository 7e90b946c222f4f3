--- Fractions where an integer is expected: a size, a position, a count, a dimension. As in Torch7 they are truncated toward zero, with a
-- warning on standard error for each line of the program, or refused in the strict mode.
-- @module torch.check.whole
local C = require 'libmoontorch'
local guard = require 'torch.check.guard'

local whole = {}

local isStrict = false
local warned = {}      -- lines of the program that had their warning

-- Returns debug.getinfo of the program's function that called the library.
local function programsFunction()
  for level = 3, math.huge do
    local info = debug.getinfo(level, 'Slf')
    if not info then return nil end
    if info.what ~= 'C' and not (guard.isInstalled and guard.isOurSource(info.source)) then return info end
  end
end

-- Returns whether this is the first warning for a line. All inputs of a session have the same source name: each input counts as a separate
-- program.
local function isFirstOf(info)
  local key = info and (info.source == '=stdin' and info.func or info.short_src) or ''
  local lines = warned[key]
  if not lines then
    lines = {}
    warned[key] = lines
  end
  local line = info and info.currentline or 0
  local isFirst = not lines[line]
  lines[line] = true
  return isFirst
end
setmetatable(warned, { __mode = 'k' })

local hint = '; fractions are truncated as in Torch7, torch.strictNumbers(true) makes them errors'

-- Functions with integer arguments that Torch7 lacked: a fraction is an error in either mode.
local unknown = {}
local names = [[
  aminmax argmax argmin argsort as_strided bagMax bagSum bincount bsrMatmul bsrSampled bsrTransposedMatmul bucketSort
  countNonzero csrExpand csrProduct csrProductAt csrTransposedMatmul ctc_loss cummax cummin dequantize diaMatmul diaSampled diff
  empty fakeQuantize fakeQuantize_grad fft_c2c fft_c2r fft_r2c flip full groupNorm int8Add int8Attention int8AvgPool2d
  int8Conv2d int8Linear int8Matmul int8MaxPool2d int8Pack logcumsumexp logsoftmax logsumexp matrix_power nanmax
  nanmean nanmin nanquantile nansum quantile quantize roiAlign roiMax roll rot90 softmax stdMean strided_scatter
  strided_view tensordot unsqueeze varMean
]]
for name in names:gmatch '%S+' do
  unknown[name] = true
end

-- Returns whether Torch7 had the function at the start of the message; it had no ops of libraries.
local function wasInTorch7(name)
  return not unknown[name] and not C.opInfo(name, 'library')
end

-- Returns whether a fraction is truncated; if so, warns the program.
local function accepts(where, given)
  if isStrict or given ~= given or given - given ~= 0 or not wasInTorch7(where:match '^[^:]*') then return false end
  local info = programsFunction()
  if not isFirstOf(info) then return true end
  local digits = ('%.14g'):format(given)
  if tonumber(digits) ~= given then digits = ('%.17g'):format(given) end      -- 100 * 0.55 is not exactly 55
  local used = ('%.0f'):format(given < 0 and math.ceil(given) or math.floor(given)):gsub('^%-0$', '0')
  io.stdout:flush()
  local line = info and ('%s:%d: '):format(info.short_src, info.currentline) or ''
  io.stderr:write(('warning: %s%s: %s is used for %s%s\n'):format(line, where, used, digits, hint))
  hint = ''      -- only the first warning has it
  return true
end

local function truncated(number) return number < 0 and math.ceil(number) or math.floor(number) end

--- Returns a value as an integer, or nil if it is refused: not a number, infinite, or a fraction in the strict mode.
-- @string where the start of messages
-- @string argument
-- @param value
-- @treturn ?number
function whole.of(where, argument, value)
  if type(value) ~= 'number' then return nil end
  if value % 1 == 0 then return value end
  return accepts(where .. ': ' .. argument, value) and truncated(value) or nil
end

-- Returns a list with its fractions truncated, or the list itself. In inner lists, which are ranges, only the first two: Torch7 had no
-- steps.
local function ofList(where, list, most)
  local copy
  for i, entry in ipairs(list) do
    local kept = entry
    if type(entry) == 'number' and entry % 1 ~= 0 and i <= most and accepts(where, entry) then kept = truncated(entry) end
    if type(entry) == 'table' and most > 2 then kept = ofList(where, entry, 2) end
    if kept ~= entry and entry == entry and not copy then      -- NaN differs from itself
      copy = {}
      for k = 1, #list do copy[k] = list[k] end
    end
    if copy then copy[i] = kept end
  end
  return copy or list
end

--- Called by the binding for an argument that is not an integer: returns the argument with its fractions truncated, or unchanged.
-- @string message of the error if nothing is truncated: `op: argument: ...`
-- @param value a number, a numeral, or a list of numbers and of ranges
-- @return the argument to use
function whole.truncate(message, value)
  local where = message:match '^(.-: .-): ' or message
  if type(value) == 'table' then return ofList(where, value, math.huge) end
  local number = (type(value) == 'number' or type(value) == 'string') and tonumber(value)
  if not number or number % 1 == 0 or not accepts(where, number) then return value end
  return truncated(number)
end

--- Turns the strict mode on or off. In this mode a fraction where an integer is expected is an error.
-- Otherwise it is truncated toward zero as in Torch7, with a warning for each line of the program. Functions that Torch7 lacks refuse
-- fractions in either mode. Each Lua state has its own mode: a thread starts with the mode off.
-- @function strictNumbers
-- @tparam[opt] boolean on nil: doesn't change the mode
-- @treturn boolean the previous mode
-- @usage torch.strictNumbers(true)
function whole.strictNumbers(on)
  local before = isStrict
  if on ~= nil then isStrict = require('torch.check').flag('torch.strictNumbers', 'on', on) end
  return before
end

return whole
