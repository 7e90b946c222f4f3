-- The loop's own commands: :time, :profile, :mem, :doc and :help.
local program = require 'spec.support.program'
local sys = require 'sys'
local measure, units = require 'trepl.measure', require 'torch.units'

local function typed(text)
  local output, _, errors = program.run({ '-i' }, text)
  return output .. errors
end

describe(':time', function()
  it("says how long an evaluation takes, with the session's variables", function()
    assert.matches('^[%d.e+-]+ [nµm]*s an evaluation %(median of 7 times %d+; .* to .*%)\n$', typed 'local x = 2\n:time math.sin(x)\n')
    assert.matches('^[%d.]+ [nµm]*s an evaluation', typed ':time y = torch.ones(3)\n')
  end)

  it('measures: a pause is as long as it is', function()
    local seconds, n = measure.time(function() sys.sleep(0.04) end)
    assert.is_true(seconds >= 0.04)
    assert.equal(1, n)
    assert.equal(1, select(2, measure.time(function() sys.sleep(0.51) end)))
  end)

  it('gives times in units that suit them', function()
    assert.equal('1.5 s', units.duration(1.5))
    assert.equal('20 ms', units.duration(0.02))
    assert.equal('3.25 µs', units.duration(3.25e-6))
    assert.equal('0.3 ns', units.duration(3e-10))
  end)

  it('shows what is wrong with the expression, and no frame of its own', function()
    assert.matches("^syntax error: stdin:1: .*near '='\n", typed ':time x = = 1\n')
    local output = typed ':time error "boom"\n'
    assert.matches('^stdin:1: boom\nstack traceback:\n', output)
    assert.is_nil(output:find('measure', 1, true))
    assert.equal('error: an argument is missing: :time EXPRESSION\n', typed ':time\n')
  end)

  it('is stopped by Ctrl-C', function()
    local session = program.session()
    session:expect('th> '):send(':time (function() print("go" .. "ing") while true do end end)()\n'):expect 'going'
    os.execute 'sleep 0.3'
    session:send('\3'):expect('interrupted!'):expect('th> '):send('6 * 7\n'):expect('42'):expect 'th> '
    session:finish()
  end)
end)

describe(':profile', function()
  it('names the lines and functions where time goes', function()
    local script = 'function busy() local s = 0 for i = 1, 2e6 do s = s + math.sin(i) end return s end\n:profile busy()\n'
    local output = typed(script)
    assert.matches('^%d+ samples of %d+ evaluations?: .*%d+%% in ', output)
    assert.matches('\nby line\n.*%%  stdin:1\n', output)
    assert.matches('\nby function\n.*%%  [^\n]*busy\n', output)
    assert.is_nil(output:find 'ops of')
  end)

  it('shows the ops of an evaluation', function()
    local output = typed 'x = torch.ones(100, 100)\n:profile torch.exp(x * x)\n'
    assert.matches('\nops of an evaluation\nop +calls +total +self +mean +threads +share\n', output)
    assert.matches('\nmm +1 ', output)
    assert.matches('\nexp +1 ', output)
  end)

  it('leaves Ctrl-C as it was', function()
    local session = program.session()
    session:expect('th> '):send(':profile 1 + 1\n'):expect('samples', 30):expect 'th> '
    session:send('do print("go" .. "ing") local i = 0 while true do i = i + 1 end end\n'):expect 'going'
    os.execute 'sleep 0.3'
    session:send('\3'):expect('interrupted!'):expect('th> '):send('6 * 7\n'):expect('42'):expect 'th> '
    session:finish()
  end)
end)

describe(':mem', function()
  it('tells the memory of tensors and Lua, and the largest variables', function()
    local output = typed 'big = torch.ones(512, 256)\nlocal small = torch.FloatTensor(4)\n:mem\n'
    assert.matches('^tensors +1%.0 MiB in %d+ blocks; .* kept for reuse\nLua +[%d.]+ [KM]iB\n', output)
    assert.matches('\nlargest +1%.0 MiB of big: DoubleTensor %- size: 512x256\n +16 B of small: FloatTensor %- size: 4\n', output)
  end)

  it('tells the memory of an expression by line', function()
    local output = typed ':mem function() end\n:mem torch.ones(128, 128)\n'
    assert.matches('^no tensors were allocated\nline +allocations +bytes +at peak +live\n', output)
    assert.matches('\nstdin:1 +1 +128.0 KiB +128.0 KiB +0 B\npeak 128.0 KiB', output)
  end)

  it('gives sizes in units', function()
    assert.equal('1023 B', units.size(1023))
    assert.equal('1.0 KiB', units.size(1024))
    assert.equal('1.5 KiB', units.size(1536))
    assert.equal('2.0 GiB', units.size(2 ^ 31))
  end)
end)

describe(':help', function()
  it('lists the commands, and tells of one', function()
    local output = typed ':help\n'
    for _, name in ipairs { 'time', 'profile', 'mem', 'doc', 'help' } do assert.matches('\n  :' .. name .. ' ', output) end
    assert.matches('^  :time EXPRESSION +how long', typed ':help time\n')
    assert.matches('^  :time EXPRESSION +how long', typed '? :time\n')
    assert.equal('error: no command zork\n', typed ':help zork\n')
  end)

  it('is named where a command is unknown', function()
    assert.matches('^error: no command :zork; :help lists them\n7\t\n', typed ':zork 1\n7\n')
  end)

  it('shows documentation as ? does', function() assert.equal(typed '? torch.add\n', typed ':doc torch.add\n') end)
end)

describe('former results', function()
  it('are _1, _2 and so on, the last first', function()
    assert.equal('5\t\n6\t\n6\t5\t\n6\t\n', typed '5\n6\n_1, _2\n_1\n')
    assert.equal('', typed 'who()\n')
    assert.equal('5\t\n', typed '5\nwho()\n')
  end)
end)
