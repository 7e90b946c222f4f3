-- Complete programs in the style of Torch7's time, each run by th in a separate process, in the folder that contains it. A program
-- judges itself, by assert, and prints `ok` last.
local paths = require 'paths'
local program = require 'spec.support.program'

local folder = 'spec/programs'
local th = paths.concat(program.path)

local programs = {}
for name in paths.iterfiles(folder) do
  if name:find '%.lua$' and name ~= 'programs_spec.lua' then table.insert(programs, name) end
end
table.sort(programs)

describe('The program', function()
  for _, name in ipairs(programs) do
    it(name .. ' comes to its end', function()
      local pipe = io.popen(('cd %s && %q %s 2>&1 </dev/null; echo "status $?"'):format(folder, th, name))
      local output = pipe:read '*a'
      pipe:close()
      local text, status = output:match '^(.*)status (%d+)\n$'
      assert.equal('0', status, text)
      assert.equal('ok', text:gsub('%s+$', ''):match '([^\n]*)$', text)
    end)
  end
end)
