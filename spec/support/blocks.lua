--- The blocks of code in a Markdown file, and their documented output.
local blocks = {}

--- @treturn string the whole file
function blocks.text(name)
  local file = assert(io.open(name))
  local text = file:read '*a'
  file:close()
  return text
end

--- Reads a file's fenced blocks.
-- @treturn {table,...} blocks with the fields `language`, `text`, `line` (of the fence) and `output`: the next block if it follows directly
-- and is marked `text`
function blocks.read(name)
  local list, open, last, number = {}, nil, nil, 0
  for line in (blocks.text(name) .. '\n'):gmatch '(.-)\n' do
    number = number + 1
    local language = line:match '^```(.*)$'
    if open and language then
      open.text = table.concat(open.lines, '\n') .. '\n'
      if open.language == 'text' and last and open.line == last.closed + 1 then last.output = open.text end
      open.closed, last, open = number, open, nil
    elseif open then
      open.lines[#open.lines + 1] = line
    elseif language then
      open = { language = language, lines = {}, line = number }
      list[#list + 1] = open
    end
  end
  assert(not open, name .. ': a block is not closed')
  return list
end

--- Runs the block of a file that is marked `lua MARK`.
-- @string name of the file
-- @string mark
-- @tparam[opt] table environment variables of the block, in front of the globals
-- @return the block's results
function blocks.run(name, mark, environment)
  for _, block in ipairs(blocks.read(name)) do
    if block.language == 'lua ' .. mark then
      return setfenv(assert(loadstring(block.text, ('=%s, %s'):format(name, mark))), setmetatable(environment or {}, { __index = _G }))()
    end
  end
  error(('%s: no block is marked %s'):format(name, mark))
end

return blocks
