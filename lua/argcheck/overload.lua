--- Declarations that share a function: finds calls that match two of them, and draws them as graphs.
-- @module argcheck.overload

local overload = {}

local MOST = 4096      -- maximum number of signatures of a declaration that are compared

-- All lists of types that a declaration accepts in order, as a set of strings.
local function signatures(check)
  local found, count = {}, 0
  local function add(r, text)
    if count > MOST then return end
    local rule = check.rules[r]
    if not rule then
      found[text], count = true, count + 1
      return
    end
    add(r + 1, text .. (rule.type or '*') .. (rule.check and '?' .. r or '') .. ',')
    if rule.isOptional then add(r + 1, text) end
  end
  add(1, '')
  return found
end

--- The types of a call that matches both declarations.
-- @treturn ?string nil if there is none
function overload.common(one, other)
  if one.noordered or other.noordered then return nil end
  local others = signatures(other)
  for text in pairs(signatures(one)) do
    if others[text] then return text end
  end
end

--- The declarations as a graph for graphviz: a path for each, an edge for each argument.
-- @tparam {table,...} checks
-- @treturn string
function overload.dot(checks)
  local lines = { 'digraph argcheck {' }
  for c, check in ipairs(checks) do
    for r, rule in ipairs(check.rules) do
      lines[#lines + 1] = ('  n%d_%d -> n%d_%d [label="%s: %s", style=%s];'):format(c, r - 1, c, r, rule.name, rule.type or '*',
        rule.isOptional and 'dashed' or 'solid')
    end
  end
  lines[#lines + 1] = '}'
  return table.concat(lines, '\n')
end

return overload
