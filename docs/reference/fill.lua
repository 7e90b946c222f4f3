-- Puts the output of a page's examples in place of what stood there: `th docs/reference/fill.lua PAGE`.
local examples = require 'spec.support.examples'

local name = arg[1]
local page, outputs = examples.run(name)
local file = assert(io.open(name))
local lines, entry, language = {}, 0, nil
for line in file:lines() do
  local heading, fence = not language and line:find '^## ', line:match '^```(.*)$'
  if heading then entry = entry + 1 end
  if language == 'text' then
    if fence then language = nil end              -- what was printed before is dropped with its fences
  elseif not language and fence == 'text' and entry > 0 then
    language = 'text'
  else
    lines[#lines + 1] = line
    local closes = language and fence
    if closes and language == 'lua' and outputs[entry] ~= '' then
      lines[#lines + 1] = '```text\n' .. outputs[entry] .. '```'
    end
    if fence then language = not language and fence or nil end
  end
end
file:close()
file = assert(io.open(name, 'w'))
file:write(table.concat(lines, '\n'), '\n')
file:close()
print(('%s: %d examples'):format(name, #page.entries))
