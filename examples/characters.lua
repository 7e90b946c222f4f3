--- A text file as numbers, one for each character.
-- @module characters
local torch = require 'torch'

--- Reads the file. If it can't be read, the program ends with status 2 and a message.
-- @string program name for the message
-- @string name of the file
-- @treturn torch.LongTensor numbers of the characters, from 1
-- @treturn {string,...} the characters that these numbers index
return function(program, name)
  local file, message = io.open(name, 'rb')
  if not file then
    io.stderr:write(program, ': --data: ', name == '' and 'expected the name of a text file' or message, '\n')
    os.exit(2, true)
  end
  local text = file:read '*a'
  file:close()
  local known, characters = {}, {}
  local numbers = torch.LongTensor(#text)
  for i = 1, #text do
    local c = text:sub(i, i)
    if not known[c] then
      characters[#characters + 1] = c
      known[c] = #characters
    end
    numbers[i] = known[c]
  end
  return numbers, characters
end
