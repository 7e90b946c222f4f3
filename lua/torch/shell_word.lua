--- A text as one word of a POSIX shell's command, whatever the text contains.
-- @module torch.shell_word

--- Returns a text in single quotes, within which a shell interprets nothing.
-- @string text
-- @treturn string
return function(text) return "'" .. text:gsub("'", "'\\''") .. "'" end
