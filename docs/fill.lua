-- Replaces the output of a page's examples by their present output: `th docs/fill.lua PAGE`.
local examples = require 'spec.support.examples'

local name = arg[1]
local _, outputs = examples[name:find 'docs/reference/' and 'reference' or 'tutorial'](name)
local file = assert(io.open(name))
local lines, example, language = {}, 0, nil
for line in file:lines() do
  local fence = line:match '^```(.*)$'
  local old = language == 'text' or not language and fence == 'text' and example > 0
  if not old then
    lines[#lines + 1] = line
    if fence == 'lua' then example = example + 1 end
    if fence and language == 'lua' and outputs[example] ~= '' then lines[#lines + 1] = '```text\n' .. outputs[example] .. '```' end
  end
  if fence then language = not language and fence or nil end
end
file:close()
file = assert(io.open(name, 'w'))
file:write(table.concat(lines, '\n'), '\n')
file:close()
print(('%s: %d examples'):format(name, example))
