--- The texts of argcheck: the usage of a function, and the mistake in a call.
-- @module argcheck.usage
local env = require 'argcheck.env'

local usage = {}

local function defaultText(rule)
  if rule.defaulta then return ('[defaulta=%s]'):format(rule.defaulta) end
  if rule.defaultf then return '[has default value]' end
  if rule.default == nil then return '[optional]' end
  if type(rule.default) == 'string' then return ("[default='%s']"):format(rule.default) end
  if type(rule.default) == 'number' or type(rule.default) == 'boolean' then return ('[default=%s]'):format(tostring(rule.default)) end
  return '[has default value]'
end

--- The arguments as a list: `self, x [, y]`.
-- @tparam {table,...} rules
-- @treturn string
function usage.names(rules)
  local parts = {}
  for _, rule in ipairs(rules) do
    if rule.name ~= 'self' then
      parts[#parts + 1] = (rule.isOptional and '[%s%s]' or '%s%s'):format(#parts > 0 and ', ' or '', rule.name)
    end
  end
  return (table.concat(parts):gsub('(%w)(%[, )', '%1 %2'))
end

--- The arguments as a block of lines, with types, defaults and help.
-- @tparam {table,...} rules
-- @treturn string
function usage.arguments(rules)
  local left, widest = {}, 0
  for i, rule in ipairs(rules) do
    left[i] = rule.isOptional and ('  [%s = %s]'):format(rule.name, rule.type or '*') or ('   %s = %s'):format(rule.name, rule.type or '*')
    widest = math.max(widest, #left[i])
  end
  local lines = { 'arguments:', '{' }
  for i, rule in ipairs(rules) do
    local words = rule.help or rule.doc or ''
    if rule.isOptional then words = (words ~= '' and words .. ' ' or '') .. defaultText(rule) end
    lines[#lines + 1] = words == '' and left[i] or ('%s%s  -- %s'):format(left[i], (' '):rep(widest - #left[i]), words)
  end
  lines[#lines + 1] = '}'
  return table.concat(lines, '\n')
end

--- The complete help: the function's text, then its arguments. `@ARGP` and `@ARGT` in the text are replaced by the list and the block.
-- @tparam table check a declaration, as argcheck.rules makes it
-- @treturn string
function usage.text(check)
  local own = check.help or check.doc
  local block = usage.arguments(check.rules)
  if not own then return block end
  local text = own:gsub('@ARGP', (usage.names(check.rules):gsub('%%', '%%%%')))
  local whole, blocks = text:gsub('@ARGT', (block:gsub('%%', '%%%%')))
  return blocks > 0 and whole or whole .. '\n\n' .. block
end

--- The mistake in a call, in one line.
-- @tparam table mistake { name, value, expected } of argcheck.match
-- @treturn string
function usage.mistake(mistake)
  if not mistake then return '' end
  if mistake.unknown then return (' %s is no argument'):format(mistake.unknown) end
  if mistake.surplus then return (' %d arguments, expected at most %d'):format(mistake.surplus, mistake.most) end
  local actual = mistake.value == nil and 'nothing' or 'a ' .. env.type(mistake.value)
  return (' %s: %s, expected %s'):format(mistake.name, actual, mistake.refused and 'what its check accepts'
    or mistake.type and 'a ' .. mistake.type or 'a value')
end

return usage
