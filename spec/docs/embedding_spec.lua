-- docs/embedding.md and docs/graph.md: their programs in C and C++ compile, and print the documented output.
local run = require 'spec.support.shell'
local blocks = require 'spec.support.blocks'

local preset = os.getenv 'MT_PRESET' or 'release'
local sanitizers = { asan = '-fsanitize=address,undefined', tsan = '-fsanitize=thread' }     -- a program has those of its library
local compilers = { c = 'cc -std=c99 -Wall -Wextra -Werror', cpp = 'c++ -std=c++17 -Wall -Wextra -Werror' }

local function has(command)
  local _, status = run('command -v ' .. command .. ' >/dev/null')
  return status == 0
end

-- Compiles and runs a block; returns its output.
local function build(block)
  local name = os.tmpname()
  local source = name .. '.' .. block.language
  local file = assert(io.open(source, 'w'))
  file:write(block.text)
  file:close()
  local flags = '-Iengine/include -Lbuild/%s/lib -lmoontorch -Wl,-rpath,"$PWD/build/%s/lib" ' .. (sanitizers[preset] or '')
  if block.text:find('lua.h', 1, true) then flags = '$(pkg-config --cflags --libs luajit) ' .. flags end
  local said, failed = run(('%s %s -o %s %s'):format(compilers[block.language], source, name, flags:format(preset, preset)))
  local output, status
  if failed == 0 then output, status = run(name) end
  os.remove(source)
  os.remove(name)
  assert(failed == 0, said)
  return output, status
end

for _, page in ipairs { 'docs/embedding.md', 'docs/graph.md' } do
  describe(page, function()
    for _, block in ipairs(blocks.read(page)) do
      if compilers[block.language] then
        local compiler = compilers[block.language]:match '^%S+'
        it(('has a %s program at line %d that prints what it says'):format(block.language, block.line), function()
          if not has(compiler) then return pending('there is no ' .. compiler .. ' here') end
          local output, status = build(block)
          assert.equal(block.output, output)
          assert.equal(0, status)
        end)
      end
    end
  end)
end
