--- Counts the work of LuaJIT's compiler and collector while a function runs. The counts do not depend on the machine.
-- @module counts
local jitUtil = require 'jit.util'
local hasNames, names = pcall(require, 'jit.vmdef')      -- texts from LuaJIT's build, missing in some installations
local torch = require 'torch'

local counts = {}

local function placeOf(func, pc)
  local info = jitUtil.funcinfo(func, pc)
  if info.loc then return info.loc end
  return hasNames and info.ffid and names.ffnames and names.ffnames[info.ffid] or 'a C function'
end

-- The text of an abort's reason, from its number and the value for its text's placeholder.
local function reasonOf(code, detail)
  if type(code) ~= 'number' then return tostring(code) end
  local text = hasNames and names.traceerr[code]
  if not text then return 'reason ' .. code end
  if type(detail) == 'function' then
    detail = placeOf(detail)
  elseif text:find('bytecode', 1, true) and type(detail) == 'number' then
    detail, text = names.bcnames:sub(6 * detail + 1, 6 * detail + 6):gsub('%s+$', ''), text:gsub('%%d', '%%s')
  end
  return text:find '%%' and text:format(detail) or text
end

--- Starts to count the compiler's events.
-- @treturn table the current counts `start`, `stop`, `abort` and `flush`, and `places`: the number of aborts by place and reason
function counts.watch()
  local seen = { start = 0, stop = 0, abort = 0, flush = 0, places = {} }
  local function note(what, _, func, pc, code, detail)
    seen[what] = seen[what] + 1
    if what == 'abort' then
      local place = placeOf(func, pc) .. '  ' .. reasonOf(code, detail)
      seen.places[place] = (seen.places[place] or 0) + 1
    end
  end
  jit.off(note)
  jit.attach(note, 'trace')
  return seen
end

--- Bytes of machine code, and the number of its traces.
function counts.code(most)
  local bytes, traces = 0, 0
  for trace = 1, most or 65534 do
    local code = jitUtil.tracemc(trace)
    if code then bytes, traces = bytes + #code, traces + 1 end
  end
  return bytes, traces
end

--- Garbage of one step: objects of tensors and storages, and KiB of Lua's heap, while the collector is stopped.
-- @tparam function step
-- @int steps the number of steps to average over
-- @treturn number userdata a step
-- @treturn number KiB a step
function counts.garbage(step, steps)
  collectgarbage()
  collectgarbage 'stop'
  local before, heap = torch.memory().userdata, collectgarbage 'count'
  for _ = 1, steps do step() end
  local after, heapAfter = torch.memory().userdata, collectgarbage 'count'
  collectgarbage 'restart'
  return (after - before) / steps, (heapAfter - heap) / steps
end

return counts
