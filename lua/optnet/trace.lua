--- Records which memory each module reads and writes, in the order in which modules finish.
-- @module optnet.trace
local torch, storages = require 'torch', require 'optnet.storages'

local trace = {}

-- Containers that pass tensors from child to child and read none themselves. nn.gModule is not one of them, since it sums gradients between
-- calls of its modules.
local passes = {
  output = { ['nn.Sequential'] = true, ['nn.gModule'] = true },
  gradInput = { ['nn.Sequential'] = true },
}

-- The values that a container itself may read after its children: its input and their results.
local function usesOf(module, field, given)
  if passes[field][torch.type(module)] then return {} end
  local uses = storages.of(given)
  for _, child in ipairs(module.modules or {}) do storages.of(child[field], uses) end
  return uses
end

--- Runs a function and records the calls of one method of all modules.
-- @tparam nn.Module net
-- @string method 'updateOutput' or 'backward'
-- @string field where the method leaves its result: 'output' or 'gradInput'
-- @tparam function f
-- @treturn {table,...} an event for each call: module; uses and makes, sets of storages
function trace.record(net, method, field, f)
  local events, own = {}, {}
  local modules = net:listModules()
  for _, module in ipairs(modules) do
    if own[module] == nil then
      own[module] = rawget(module, method) or false
      local original = module[method]
      module[method] = function(self, input, gradOutput, ...)
        local result = original(self, input, gradOutput, ...)
        local given = method == 'updateOutput' and { input } or { input, gradOutput }
        events[#events + 1] = { module = self, uses = usesOf(self, field, given), makes = storages.of(self[field]) }
        return result
      end
    end
  end
  local done, message = pcall(f)
  for module, before in pairs(own) do module[method] = before or nil end
  if not done then error(message, 0) end
  return events
end

--- The last event at which each storage is read or written.
-- @tparam {table,...} events
-- @treturn {[number]=int}
local function lastUses(events)
  local last = {}
  for i, event in ipairs(events) do
    for key in pairs(event.uses) do last[key] = i end
    for key in pairs(event.makes) do last[key] = i end
  end
  return last
end

--- The modules whose results can be freed after each event.
-- @tparam {table,...} events
-- @tparam table keep set of storages that are not freed
-- @treturn {{nn.Module,...},...} by event
function trace.releases(events, keep)
  local last, calls, releases = lastUses(events), {}, {}
  for i, event in ipairs(events) do
    calls[event.module] = (calls[event.module] or 0) + 1
    releases[i] = {}
  end
  for _, event in ipairs(events) do
    local at = 0
    for key in pairs(event.makes) do at = math.max(at, last[key]) end
    if at > 0 and calls[event.module] == 1 and not storages.meet(event.makes, keep) then table.insert(releases[at], event.module) end
  end
  return releases
end

return trace
