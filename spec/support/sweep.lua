--- Runs a sweep for all ops. spec/support/exceptions.lua lists the exceptions with their reasons.
local exceptions = require 'spec.support.exceptions'
local registry = require 'spec.support.registry'

local shown = require('torch.sweep').shown

local function complain(wrong)
  if #wrong > 0 then error(shown(wrong), 0) end
end

--- @string name of the sweep, as in torch.sweep.names
-- @treturn function iterator over titles and checks, for `it`
return function(name)
  local sweep = require('torch.sweep.sweeps').find(name)
  local excepted, ops, i = exceptions[name] or {}, registry.ops(), 0
  return function()
    i = i + 1
    local op = ops[i]
    if not op then return nil end
    local reason = excepted[op.name]
    if reason then return op.name .. ' is excepted: ' .. reason, function() assert(#reason > 10, 'no reason is given') end end
    return op.name, function() complain(sweep(op)) end
  end
end
