-- Programs that ipc runs, and copies of this process.
local torch, ipc = require 'torch', require 'ipc'
local program = require 'spec.support.program'

local function fails(expected, f, ...)
  local good, problem = pcall(f, ...)
  assert.is_false(good)
  assert.truthy(tostring(problem):find(expected, 1, true), tostring(problem))
end

local function sh(code, env) return ipc.spawn { file = 'sh', args = { '-c', code }, env = env } end

describe('ipc.spawn', function()
  it('has pipes to the input and from the output of a program', function()
    local cat = ipc.spawn { file = 'cat' }
    assert.is_true(cat:running())
    assert.is_true(cat:pid() > 0 and cat:stdoutFileId() > 2)
    cat:stdin 'one\n\ntwo\nthree'
    assert.equal('one', cat:stdout())
    assert.equal('', cat:stdout '*line')
    assert.equal('tw', cat:stdout(2))
    cat:stdin()
    assert.equal('o\nthree', cat:stdout '*all')
    assert.is_nil(cat:stdout())
    assert.is_nil(cat:stdout(5))
    assert.equal(0, cat:wait())
    for _, name in ipairs { 'pid', 'running', 'stdin', 'stdout', 'stdoutFileId', 'wait' } do
      fails('ipc.spawn: ' .. name .. ': spawn was already closed', cat[name], cat)
    end
  end)

  it('passes words as they are, and an environment', function()
    local echo = ipc.spawn { file = 'printf', args = { '%s|', '$HOME *', "it's", 7 } }
    assert.equal("$HOME *|it's|7|", echo:stdout '*all')
    echo:wait()
    local own = sh('echo $A-$B-$HOME', { 'A=1=2', 'B=' })
    assert.equal('1=2--', own:stdout())
    own:wait()
    local same = sh 'echo $PATH'
    assert.equal(os.getenv 'PATH', same:stdout())
    same:wait()
  end)

  it('returns exit codes, and those of signals', function()
    assert.equal(7, sh('exit 7'):wait())
    assert.equal(128 + 15, ipc.spawn { file = 'sleep', args = { 100 } }:wait 'TERM')
    assert.equal(128 + 9, ipc.spawn { file = 'sleep', args = { 100 } }:wait 'KILL')
    local ended = sh 'exit 3'
    while ended:running() do end
    assert.is_false(ended:running())
    assert.equal(3, ended:wait 'TERM')
  end)

  it('waits for a program that still writes, or reads', function()
    assert.equal(4, sh('head -c 300000 /dev/zero; exit 4'):wait())
    local bytes = ('0123456789'):rep(30000)
    local cat = sh 'cat; echo end'      -- reads on as its output is read; what it has no room for waits
    local half = sh 'sleep 0.05; wc -c'
    half:stdin(bytes)
    half:stdin()
    assert.equal('300000', half:stdout():match '%d+')
    half:wait()
    cat:stdin()
    assert.equal('end', cat:stdout())
    assert.equal(0, cat:wait())
    local zeros = ipc.spawn { file = 'head', args = { '-c', 300000, '/dev/zero' } }
    assert.equal(('\0'):rep(300000), zeros:stdout '*all')
    assert.equal(0, zeros:wait())
  end)

  it('does not end this process when a program has ended that it writes to', function()
    local gone = ipc.spawn { file = 'true' }
    while gone:running() do end
    fails('ipc.spawn: stdin: Broken pipe', gone.stdin, gone, ('x'):rep(1e6))
    gone:stdin()
    fails('ipc.spawn: stdin: the input has ended', gone.stdin, gone, 'x')
    assert.equal(0, gone:wait())
  end)

  it('ends a program that nobody refers to, also one that ignores SIGTERM', function()
    local function pidOf(code)
      local one = sh(code)
      assert.equal('ready', one:stdout())
      return one:pid()
    end
    local pids = { pidOf 'echo ready; exec sleep 100', pidOf "trap '' TERM; echo ready; while :; do sleep 0.01; done" }
    collectgarbage()
    collectgarbage()
    for _, pid in ipairs(pids) do assert.is_nil((io.open(('/proc/%d/stat'):format(pid)))) end
  end)

  it('refuses wrong arguments, with the name', function()
    fails('ipc.spawn: options: nil: expected a single table argument', ipc.spawn)
    fails('ipc.spawn: file: expected a string', ipc.spawn, {})
    fails('ipc.spawn: args: expected a table, or nil', ipc.spawn, { file = 'true', args = 1 })
    fails('ipc.spawn: args[2]: a table', ipc.spawn, { file = 'true', args = { 'a', {} } })
    fails('ipc.spawn: args[1]: a text with a zero byte', ipc.spawn, { file = 'true', args = { 'a\0b' } })
    fails("ipc.spawn: env[1]: 'A', expected NAME=VALUE", ipc.spawn, { file = 'true', env = { 'A' } })
    fails('ipc.spawn: file: no-such-program: No such file', ipc.spawn, { file = 'no-such-program' })
    local one = ipc.spawn { file = 'true' }
    fails("ipc.spawn: stdout: what: '*number', expected", one.stdout, one, '*number')
    fails('ipc.spawn: stdout: what: 0, expected', one.stdout, one, 0)
    fails('ipc.spawn: stdin: text: a table', one.stdin, one, {})
    fails('ipc.spawn: wait: signal: HUP: unknown signal', one.wait, one, 'HUP')
    one:wait()
  end)

  it('leaves no descriptors open', function()
    local function count()
      local found = 0
      for fd = 3, 60 do
        local file = io.open(('/proc/self/fdinfo/%d'):format(fd))
        if file then found = found + 1 file:close() end
      end
      return found
    end
    sh('exit 0'):wait()
    local before = count()
    for _ = 1, 5 do
      sh('exit 0'):wait()
      pcall(ipc.spawn, { file = 'no-such-program' })
    end
    assert.equal(before, count())
  end)

  it('leaves no descriptors open where there is room for one pipe alone', function()
    local output, status, errors = program.run({ '-e', [[
      local ipc, held = require 'libipc', {}
      ipc.spawn { file = 'true' }:wait()
      while true do
        local file = io.open '/dev/null'
        if not file then break end
        held[#held + 1] = file
      end
      for _ = 1, 3 do table.remove(held):close() end
      for _ = 1, 3 do
        local _, problem = pcall(ipc.spawn, { file = 'true' })
        print(problem:match 'ipc.spawn.*')
      end
      local left = 0
      while io.open '/dev/null' do left = left + 1 end
      print(left)
    ]] }, '', 'ulimit -n 64;')
    assert.equal('', errors)
    assert.equal(('ipc.spawn: no pipe: Too many open files\t\n'):rep(3) .. '3\t\n', output)
    assert.equal(0, status)
  end)
end)

describe('ipc.fork', function()
  -- In a copy, LeakSanitizer looks for the threads of the process that was copied, and takes what they had for leaks.
  local function evaluate(code)
    local output, status, errors = program.run({ '-e', code }, '', 'ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0')
    assert.equal('', errors)
    assert.equal(0, status)
    return output
  end

  it('copies the process, whose threads and products work', function()
    local output = evaluate [[
      local torch, ipc = require 'torch', require 'libipc'
      local x, shared = torch.ones(300, 300), torch.zeros(2):share()
      assert(torch.mm(x, x):sum() == 300 ^ 3)
      ipc.map(2, function() return 1 end):join()
      io.write 'once '
      local pid = ipc.fork()
      if pid == 0 then
        assert(torch.mm(x, x):sum() == 300 ^ 3 and ipc.getppid() ~= ipc.getpid())
        shared[1] = select(2, ipc.map(2, function(id) return 10 * id end):join())
        os.exit(9)
      end
      local code = ipc.waitpid(pid)
      print(code, shared[1], pid ~= ipc.getpid())
      local killed = ipc.fork()
      if killed == 0 then while true do end end
      ipc.spawn { file = 'kill', args = { '-9', killed } }:wait()
      print(ipc.waitpid(killed))
      print((pcall(ipc.waitpid, killed)))
    ]]
    assert.equal('once 9\t20\ttrue\t\n137\t\nfalse\t\n', output)
  end)

  it('leaves programs to the process that has started them', function()
    local output = evaluate [[
      local ipc = require 'libipc'
      local cat = ipc.spawn { file = 'cat' }
      local pid = ipc.fork()
      if pid == 0 then
        cat = nil
        collectgarbage()
        collectgarbage()
        os.exit(0)
      end
      ipc.waitpid(pid)
      print(cat:running())
      cat:wait()
    ]]
    assert.equal('true\t\n', output)
  end)

  it('refuses what is no child', function()
    fails("ipc.waitpid: pid: 'x', expected a whole number", ipc.waitpid, 'x')
    fails('ipc.waitpid: pid: ' .. ipc.getpid() .. ', expected a child of this process', ipc.waitpid, ipc.getpid())
    assert.is_false(ipc.isDevel())
    assert.equal(torch, require 'torch')
  end)
end)
