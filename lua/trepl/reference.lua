--- The reference's pages: themes, each with the names that belong to it and an example of every one.
--
-- A page is Markdown, `docs/reference/PACKAGE/THEME.md`: a title, what the theme is about, and sections. A section's heading is a name, or
-- several with commas between (`## torch.sin, torch.cos`); below it may stand a few words, and then a block of Lua with the text that it
-- prints. Signatures, shapes and errors are not there: they come from the registry of ops, declarations and comments.
-- @module trepl.reference
local reference = {}

-- The names of a heading.
local function namesOf(heading)
  local names = {}
  for name in heading:gmatch '[^,%s]+' do names[#names + 1] = name end
  return names
end

-- The text before a line's fence, and the blocks of Lua and text after it.
local function contentOf(lines)
  local prose, blocks, open = {}, {}, nil
  for _, line in ipairs(lines) do
    local fence = line:match '^```(.*)$'
    if fence and open then
      open = nil
    elseif fence then
      open = {}
      blocks[fence] = open
    else
      local into = open or prose
      into[#into + 1] = line
    end
  end
  local function joined(block) return block and table.concat(block, '\n') .. (#block > 0 and '\n' or '') end
  return table.concat(prose, '\n'):match '^%s*(.-)%s*$', joined(blocks.lua), joined(blocks.text)
end

--- Reads a page.
-- @string text the whole page
-- @treturn table with the fields `title`, `about` and `entries`, a list of tables: `names`, `line` of the heading, `about` (it may be
-- empty), `code`, and `output`, nil where the example prints nothing
function reference.parse(text)
  local page, lines, entry, number, fenced = { entries = {} }, {}, nil, 0, false
  local function close()
    local about, code, output = contentOf(lines)
    if entry then
      entry.about, entry.code, entry.output = about, code, output
    else
      page.about = about
    end
    lines = {}
  end
  for line in text:gmatch '(.-)\n' do
    number = number + 1
    if line:find '^```' then fenced = not fenced end
    local title, heading = line:match '^# (.+)$', line:match '^## (.+)$'
    if fenced or not (title or heading) then
      lines[#lines + 1] = line
    elseif title then
      page.title = title
    else
      close()
      entry = { names = namesOf(heading), line = number }
      page.entries[#page.entries + 1] = entry
    end
  end
  close()
  return page
end

return reference
