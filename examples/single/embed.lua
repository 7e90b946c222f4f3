-- Writes the Lua files of folders as bytecode, with an index in C: luajit embed.lua OUTPUT FILES FOLDER...
-- OUTPUT.bytes has the bytecode, OUTPUT the source that includes it. FILES is a list of names, which end in .lua, relative to the folders.
local output, list, folders = arg[1], arg[2], { unpack(arg, 3) }

local function load(name)
  for _, folder in ipairs(folders) do
    local file = io.open(folder .. '/' .. name, 'rb')
    if file then
      local text = file:read '*a':gsub('^#[^\n]*', '')
      file:close()
      return assert(loadstring(text, '@embedded/' .. name))
    end
  end
  error('no file ' .. name)
end

local bytes = assert(io.open(output .. '.bytes', 'wb'))
local rows, offset, seen = {}, 0, {}
for line in io.lines(list) do
  local module = line:gsub('%.lua$', ''):gsub('/init$', ''):gsub('/', '.')
  if not seen[module] then
    seen[module] = true
    local code = string.dump(load(line))
    bytes:write(code)
    rows[#rows + 1] = ('  {"%s", %d, %d},\n'):format(module, offset, #code)
    offset = offset + #code
  end
end
bytes:close()

local source = assert(io.open(output, 'w'))
source:write('#include "embedded.h"\n\n',
  ('__asm__(".section .rodata\\n.global embedded_bytes\\n.hidden embedded_bytes\\nembedded_bytes:\\n.incbin \\"%s.bytes\\"\\n.text");\n\n')
    :format(output),
  'const embedded_file embedded_files[] = {\n', table.concat(rows), '};\n', ('const int embedded_count = %d;\n'):format(#rows))
source:close()
