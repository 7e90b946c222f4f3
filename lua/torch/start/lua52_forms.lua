--- Rewrites texts that LuaJIT rejects for one of Lua 5.2's forms (torch.lua52), with the same line numbers.
-- @module torch.start.lua52_forms
local forms = {}

-- Returns the tokens of a program, each with its line, without a first line for the shell, `#!...`.
local function tokensOf(text)
  local program = text:gsub('\r\n', ' \n'):gsub('\r', '\n'):gsub('^#[^\n]*', function(first) return (' '):rep(#first) end)
  local list, at, line = require('torch.start.tokens').of(program), 1, 1
  for _, token in ipairs(list) do
    local _, count = program:sub(at, token.at - 1):gsub('\n', '')
    token.line, at = line + count, token.at
    local _, within = token.text:gsub('\n', '')
    line, token.lastLine, token.last = token.line, token.line + within, token.at + #token.text - 1
  end
  return list
end

-- Returns a text with some of its characters replaced: edits are {first, last, text}, in order.
local function edited(text, edits)
  local pieces, at = {}, 1
  for _, edit in ipairs(edits) do
    pieces[#pieces + 1] = text:sub(at, edit[1] - 1)
    pieces[#pieces + 1] = edit[3]
    at = edit[2] + 1
  end
  pieces[#pieces + 1] = text:sub(at)
  return table.concat(pieces)
end

--- Moves the parenthesis that begins a line to the end of the last token before it.
function forms.joinCall(text, line)
  local list = tokensOf(text)
  for i = 2, #list do
    local token, before = list[i], list[i - 1]
    if token.line == line and token.text == '(' and before.lastLine < line then
      return edited(text, { { before.last + 1, before.last, '(' }, { token.at, token.last, ' ' } })
    end
  end
end

local ends = { ['end'] = true, ['else'] = true, ['elseif'] = true, ['until'] = true }

--- Encloses a `break` that statements follow in a block.
function forms.closeBreaks(text)
  local list, edits = tokensOf(text), {}
  for i, token in ipairs(list) do
    if token.text == 'break' and token.kind == 'word' then
      local after = list[i + 1]
      if after and after.text == ';' then after = list[i + 2] end
      if after and not ends[after.text] then edits[#edits + 1] = { token.at, token.last, 'do break end' } end
    end
  end
  return edits[1] and edited(text, edits)
end

local begins = { ['do'] = true, ['then'] = true, ['else'] = true, ['repeat'] = true, [';'] = true }

--- Removes a semicolon where a statement would begin.
function forms.dropEmpty(text, line)
  local list = tokensOf(text)
  for i, token in ipairs(list) do
    local before = list[i - 1]
    if token.line == line and token.text == ';' and (not before or begins[before.text] or before.text == ')') then
      return edited(text, { { token.at, token.last, ' ' } })
    end
  end
end

return forms
