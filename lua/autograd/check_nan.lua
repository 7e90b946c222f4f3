--- Finds the first op that makes a NaN or an infinity, with its line and its module: `autograd.checkNaN`.
-- A hook of the binding (bindings/lua/profile/fault_finder.cpp) checks the results of every op that f runs, whether the tape records it or
-- not; anomaly mode (autograd.anomaly) checks the recorded ones.
-- @module autograd.check_nan
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local extensions, modules, rethrow = require 'torch.extensions', require 'torch.modules', require 'torch.start.rethrow'

local native = C.observation and C.observation()

local Fault = {}
Fault.__index = Fault

function Fault:__tostring() return self.message end

local words = { nan = 'NaN', inf = 'an infinity' }

local function message(fault)
  local what = words[fault.kind]
  if fault.parameter then return ('%s has %s before the first op'):format(fault.parameter, what) end
  local text = ('%s: its result has %s'):format(fault.op, what)
  text = text .. (fault.argument and (', and so has its argument %s'):format(fault.argument) or ', its arguments have none')
  if fault.forward then
    local forward = fault.forward
    text = ('%s; in the backward of %s'):format(text, forward.op)
    if forward.line then text = text .. ', called at ' .. forward.line end
    if forward.module then text = text .. ', in ' .. forward.module end
    return text
  end
  if fault.line then text = ('%s; called at %s'):format(text, fault.line) end
  if fault.module then text = ('%s, in %s%s'):format(text, fault.backward and 'the backward of ' or '', fault.module) end
  return text
end

local function finished(fault)
  fault.message = message(fault)
  return setmetatable(fault, Fault)
end

-- The fault as programs see it, from that of the binding.
local function described(found, list)
  local function label(number) return number and list[number].label end
  local function text(line) return line ~= '' and line or nil end
  return finished {
    op = found.op, kind = found.kind, result = found.result, argument = found.argument, line = text(found.line),
    module = label(found.module), backward = found.backward,
    forward = found.forwardOp and { op = found.forwardOp, line = text(found.forwardLine), module = label(found.forwardModule) },
    traceback = 'stack traceback:\n\t' .. table.concat(found.stack, '\n\t'),
  }
end

local function kindOf(x)
  if not x:isFloatingPoint() or x:nElement() == 0 or x:device() == 'meta' then return nil end
  local plain = C.detach(x)
  if torch.any(torch.isnan(plain)) then return 'nan' end
  if torch.any(torch.isinf(plain)) then return 'inf' end
end

-- Returns the fault of the first parameter that has one.
local function ofParameters(observer, list, infinities)
  for _, pair in ipairs(observer.tensors(list)) do
    local kind = kindOf(pair[2])
    if kind == 'nan' or kind and infinities then return finished { kind = kind, parameter = pair[1] } end
  end
end

local function pack(...) return { n = select('#', ...), ... } end

--- Runs f and checks the result of each op: of forward and backward, of Torch7's protocol, of the tape, of optimisers, and of the steps of
-- graphs and prepared runs. The first op whose result has a NaN, or an infinity, that its arguments don't have ends f. Infinities among the
-- arguments, as in masks, are no fault. Checks read all results, so f takes several times as long; lazy ops run at once.
-- @tparam function f called with the arguments after `options`
-- @tparam[opt] table options `model`: a module, a criterion or a table of them by name, or true for those in f's local variables and in
--   global variables; the fault names their paths (`model.3 (nn.Linear)`: model:get(3)), and their parameters are checked first;
--   `infinities` (true): whether they are faults
-- @param ... arguments of f
-- @treturn ?table nil if there is no fault, then the results of f. A fault has a text for `print`, and the fields kind ('nan' or 'inf'),
--   op, result (its name), argument (the name of one that has a NaN, too: no op of f made it), line, module, backward (true in a
--   backward pass), forward (a table: op, line and module of the call whose gradient has the fault), traceback, message; of a parameter
--   only kind, parameter and message
-- @raise the errors of f, and errors for wrong options, inside a profile, a capture, or another search
-- @usage local fault = autograd.checkNaN(function() criterion(net(x), y):backward() end, { model = net })
-- if fault then error(tostring(fault)) end
local function checkNaN(f, options, ...)
  check.callable('autograd.checkNaN', 'f', f)
  options = check.options('autograd.checkNaN', options, { 'model', 'infinities' })
  check.that(native, 'autograd.checkNaN: not in this build (MT_MINIMAL), expected the full library')
  local infinities = options.infinities ~= false
  local observer = options.model ~= nil and extensions.get 'modules'
  if options.model ~= nil and not observer then check.raise 'autograd.checkNaN: model: no package of modules is loaded, expected one' end
  local models = options.model == true and observer.found(f) or options.model
  local list = observer and observer.list('autograd.checkNaN', models) or {}
  local fault = observer and ofParameters(observer, list, infinities)
  if fault then return fault end
  check.call(native.findFaults, infinities, modules.folder, 'autograd.checkNaN')
  local stop = observer and observer.start(list, native.enterModule, native.leaveModule)
  local results = pack(xpcall(f, rethrow.remember, ...))
  if stop then stop() end
  local found = native.endFaults()
  if found then return described(found, list) end
  if not results[1] then rethrow.raise(results[2]) end
  return nil, unpack(results, 2, results.n)
end

return checkNaN
