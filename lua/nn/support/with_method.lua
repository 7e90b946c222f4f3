--- Replaces a method of some modules during a call: how a network around others sees where each of them computes.
-- @module nn.support.with_method
local torch = require 'torch'
local rawget, rawset, unpack = rawget, rawset, unpack

local withMethod = {}

--- Returns arguments as a list with their number `n`.
function withMethod.pack(...) return { n = select('#', ...), ... } end

--- Returns the results of a call that pcall made, in a list of `pack`, or raises its error.
function withMethod.unpacked(results)
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2, results.n)
end

--- Puts a method into the fields of modules while f runs.
-- @tparam {nn.Module,...} modules
-- @string name of the method
-- @tparam function replacement (module, the former method) -> the method
-- @tparam function f
-- @param ... its arguments
-- @return its results
function withMethod.call(modules, name, replacement, f, ...)
  local former = {}
  for i, module in ipairs(modules) do
    former[i] = rawget(module, name) or false
    rawset(module, name, replacement(module, module[name]))
  end
  local results = withMethod.pack(pcall(f, ...))
  for i = #modules, 1, -1 do rawset(modules[i], name, former[i] or nil) end
  return withMethod.unpacked(results)
end

--- Returns the parts of a network whose backward passes follow one another: the children of nn.Sequential, also of those inside, else the
-- network.
-- @tparam nn.Module net
-- @tparam table list gets each once
-- @tparam table met gets how often each occurs
-- @treturn table list
function withMethod.units(net, list, met)
  if torch.typename(net) ~= 'nn.Sequential' then
    if not met[net] then list[#list + 1] = net end
    met[net] = (met[net] or 0) + 1
    return list
  end
  for _, child in ipairs(net.modules) do withMethod.units(child, list, met) end
  return list
end

return withMethod
