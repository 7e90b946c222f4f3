-- Writing logs or files to a full disk raises an error at the first line that can't be written, so that no data is lost silently.
local files = require 'spec.support.files'
local program = require 'spec.support.program'

local full = '/dev/full'
local full_or_pending = io.open(full, 'w') and it or pending

describe('On a full disk', function()
  for name, code in pairs {
    ['optim.Logger.add: /dev/full'] = 'local log = require("optim").Logger(FULL) log:add{ loss = 1 }',
    ['optim.Logger.setNames: /dev/full'] = 'local log = require("optim").Logger(FULL) log:setNames{ "loss" }',
    ['log: /dev/full'] = 'torch.CmdLine():log(FULL, { rate = 1 })',
    ['xlua.log: /dev/full'] = 'xlua.log(FULL) io.write "x"',
    ['autograd: dotFile: /dev/full'] =
      'require("autograd")(function(p) return torch.sum(p.w) end, { dotFile = FULL }){ w = torch.ones(2) }',
    ['torch.csv.save: /dev/full'] = 'torch.csv.save(FULL, torch.ones(3))',
    ['torch.save: /dev/full'] = 'torch.save(FULL, { 1 }, "ascii")',
    ['write error'] = 'local f = torch.DiskFile(FULL, "w") f:writeObject{ 1 } f:close()',
    ['wrote 0 blocks instead of 2'] = 'torch.DiskFile(FULL, "w"):noBuffer():writeString "ab"',
  } do
    full_or_pending('there is the error ' .. name, function()
      local good, message = pcall(assert(loadstring((code:gsub('FULL', '"' .. full .. '"')))))
      assert.is_false(good)
      assert.matches(name, message, 1, true)
      assert.matches('No space left on device', message)
    end)
  end

  for what, code in pairs {
    ['is forgotten'] = 'local f = torch.DiskFile("/dev/full", "w") f:writeInt(1)',
    ['is open when the program ends itself'] = 'f = torch.DiskFile("/dev/full", "w") f:writeInt(1) os.exit(0)',
  } do
    full_or_pending('what a file lost that ' .. what .. ' is told in a line', function()
      -- (os.exit does not close a state.)
      local _, _, errors = program.run({ '-e', code }, nil, 'ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0')
      assert.equal('write error: /dev/full: No space left on device\n', errors)
    end)
  end

  -- The system's limit of file sizes simulates a disk that becomes full: 8 blocks of 512 or 1024 bytes.
  local function limited(code, content)
    local name = os.tmpname()
    files.write(name, content or '')
    local script = program.script(('local name = %q\n%s'):format(name, code))
    local pipe = io.popen(("trap '' XFSZ; ulimit -f 8; TREPL_HISTORY=%s %s %s 2>&1"):format(name, program.path, script))
    local output = pipe:read '*a'
    pipe:close()
    local written = files.read(name)
    os.remove(script)
    os.remove(name)
    return output, written
  end

  for what, code in pairs {
    ['before it moved'] = 'f:seek(1)',
    ['before it was asked for its length'] = 'f:seekEnd()',
    ['in its buffer'] = '',
  } do
    it('a file tells at last when it is closed what it lost ' .. what, function()
      local output = limited('local f = torch.DiskFile(name, "w"):binary() f:writeByte(torch.ByteStorage(60000)) ' .. code ..
        ' print(pcall(f.close, f))')
      assert.matches('^false\t.*write error: File too large', output)
    end)
  end

  it('the history stays as long as it is, where it would be lost', function()
    local lines = {}
    for i = 1, 4001 do lines[i] = ('x = %d\n'):format(i) end
    local content = table.concat(lines)
    local output, written = limited("require 'trepl.history'.load() print 'goes on'", content)
    assert.equal('goes on\t\n', output)
    assert.is_true(written == content)
  end)

  for what, code in pairs {
    ['optim.Logger'] = 'local log = require("optim").Logger(name) function step(i) log:add{ ("%019d"):format(i) } end',
    ['a log of print'] = 'torch.CmdLine():log(name) function step(i) print(("%020d"):format(i)) end',
    ['xlua.log'] = 'xlua.log(name) function step(i) io.write(("%020d\\n"):format(i)) end',
  } do
    it(what .. ' fails at the first line that is not written', function()
      local output, written = limited(code .. [[

        for i = 1, 1000 do
          local good, message = pcall(step, i)
          if not good then
            io.stderr:write('failed at ', i, ': ', message)
            break
          end
        end
      ]])
      local row = tonumber(output:match 'failed at (%d+): .*File too large')
      assert.is_truthy(row)
      local last
      for number in written:gmatch '(%d+)%s*\n' do last = tonumber(number) end
      assert.equal(last, row - 1)
    end)
  end
end)
