-- bin/th-launch: labels, seeds, signals, reports of failures, restarts; and Lua values between ranks.
local files, program = require 'spec.support.files', require 'spec.support.program'
local ranks, shell = require 'spec.support.ranks', require 'spec.support.shell'

local environment = ('MT_PRESET=%s %s'):format(os.getenv 'MT_PRESET' or 'release', ranks.environment)

local start = [[
local torch = require 'torch'
local dist = require('torch.distributed').init { timeout = 60 }
local rank = dist.rank()
require('ffi').cdef 'int raise(int);'
local function write(...) io.write(table.concat({ ... }, ' '), '\n') io.flush() end
]]

-- Runs a program by th-launch. Returns its sorted output, its status, its errors.
local function launch(options, code)
  ranks.need()
  local errors = os.tmpname()
  local script = program.script(start .. code)
  local output, status = shell(('%s bin/th-launch %s %s 2>%s'):format(environment, options, script, errors))
  local lines = {}
  for line in output:gmatch '[^\r\n]+' do lines[#lines + 1] = line end
  table.sort(lines)
  local said = files.read(errors):gsub('/%S*lua_%w+%.lua', 'F'):gsub('\r', '')
  os.remove(errors)
  return table.concat(lines, '\n'), status, said
end

describe('th-launch', function()
  it('labels the lines of each rank, and gives each its seed', function()
    local output, status, errors = launch('-n 3 --seed 5', [[
      write(torch.initialSeed(), dist.worldSize(), dist.localRank(), dist.restarts())
      if rank == 1 then io.stderr:write('a wo', 'rd\n') end
    ]])
    assert.equal('[0] 5 3 0 0\n[1] 6 3 1 0\n[2] 7 3 2 0', output)
    assert.equal('[1] a word\n', errors)
    assert.equal(0, status)
    assert.equal('5', (launch('-n 1 --seed 5 --no-labels', 'write(torch.initialSeed())')))
  end)

  it('reports the signal that ended a rank, its last call, and what the others waited for', function()
    local _, status, errors = launch('-n 3', [[
      dist.barrier()
      if rank == 1 then
        require('sys').sleep(0.3)
        require('ffi').C.raise(9)
      end
      dist.allReduce(torch.ones(2))
    ]])
    assert.equal(137, status)
    for _, text in ipairs {
      'rank 1 ended by signal 9 (SIGKILL): computes, after barrier at F:6',
      'rank 0: in allReduce (sum) of a DoubleTensor of 2 at F:11, waits for rank 1',
      'rank 2: in allReduce (sum) of a DoubleTensor of 2 at F:11, waits for rank 1',
      'rank 1 holds up ranks 0 and 2',
    } do
      assert.truthy(errors:find('th-launch: ' .. text, 1, true), text .. ' in ' .. errors)
    end
  end)

  it('ends all ranks if one fails, with its status', function()
    local code = "if rank == 1 then %s end dist.barrier()"
    local _, status, errors = launch('-n 2', code:format 'os.exit(7)')
    assert.equal(7, status)
    assert.truthy(errors:find('rank 1 ended by status 7', 1, true), errors)
    _, status, errors = launch('-n 2', code:format 'error "a reason"')
    assert.equal(1, status)
    assert.truthy(errors:find('[1] th: F:6: a reason', 1, true), errors)
  end)

  it('names the rank that hangs, and ends', function()
    local _, status, errors = launch('-n 2', [[
      dist.barrier()
      if rank == 0 then while true do require('sys').sleep(1) end end
      dist.receive(torch.ones(1), 0, { timeout = 0.3 })
    ]])
    assert.equal(1, status)
    assert.truthy(errors:find('receive: rank 1 waited 0.3 s for rank 0, whose last call was barrier at F:6', 1, true), errors)
    assert.truthy(errors:find('rank 1 ended by status 1', 1, true), errors)
  end)

  it('starts the ranks again, with fewer if asked', function()
    local output, status, errors = launch('-n 3 --restart 2 --restart-ranks 2', [[
      dist.barrier()
      if rank == 0 then write(dist.restarts(), dist.worldSize()) end
      if rank == 1 and dist.restarts() < 2 then os.exit(4) end
      dist.barrier()
    ]])
    assert.equal('[0] 0 3\n[0] 1 2\n[0] 2 2', output)
    assert.equal(0, status)
    assert.truthy(errors:find('starts again with 2 processes, the restart 2 of at most 2', 1, true), errors)
  end)

  it('shows the ranks by --ranks and SIGUSR1, and ends all by Ctrl-C', function()
    ranks.need()
    local errors, id, script = os.tmpname(), os.tmpname(), program.script(start .. [[
      if rank == 1 then
        require('sys').sleep(600)
      end
      dist.barrier { timeout = 600 }
    ]])
    shell(('%s sh -c \'echo $$ >%s; exec bin/th-launch -n 2 %s\' >/dev/null 2>%s & echo'):format(environment, id, script, errors))
    local shown
    repeat
      shown = shell(('sleep 0.1; bin/th-launch --ranks $(cat %s)'):format(id))
    until shown:find 'waits for rank 1'
    assert.truthy(shown:find 'rank 0 %(process %d+%): in barrier at .*, waits for rank 1, for %d+%.%d s\n', shown)
    assert.truthy(shown:find 'rank 1 %(process %d+%): computes, after init at .*, for', shown)
    local pids = {}
    for pid in shown:gmatch 'process (%d+)%)' do pids[#pids + 1] = pid end
    assert.equal(2, #pids)
    shell(('kill -USR1 $(cat %s)'):format(id))
    repeat shown = files.read(errors) until shown:find 'rank 1 %(process'
    shell(('kill -INT $(cat %s); while kill -0 $(cat %s); do sleep 0.1; done'):format(id, id))
    for _, pid in ipairs(pids) do shell(('while kill -0 %s 2>/dev/null; do sleep 0.1; done'):format(pid)) end
    os.remove(errors)
    os.remove(id)
  end)

  it('says what is wrong with its options', function()
    for options, text in pairs {
      [''] = 'no script, expected one', ['--foo x'] = '--foo: no such option', ['-n 0 x'] = '-n: 0, expected a whole number from 1',
      ['-n'] = '-n: no value, expected one', ['--bind sockets x'] = '--bind: sockets, expected cores',
    } do
      local output, status = shell(environment .. ' bin/th-launch ' .. options)
      assert.equal('th-launch: ' .. text .. '\n', output)
      assert.equal(2, status)
    end
    local output = shell(environment .. ' bin/th-launch --help')
    assert.truthy(output:find('Usage: th-launch', 1, true))
  end)

  it('says where mpirun is if the system lacks it', function()
    local _, folder = nil, os.tmpname()
    os.remove(folder)
    local programs = 'mkdir %s; for p in sh dirname readlink; do ln -s $(command -v $p) %s/; done; PATH=%s %s bin/th-launch -n 2 x'
    local output, status = shell(programs:format(folder, folder, folder, environment))
    shell('rm -r ' .. folder)
    assert.equal('th-launch: mpirun was not found (Debian and Ubuntu: apt-get install openmpi-bin)\n', output)
    assert.equal(127, status)
  end)
end)

describe('the board of th-launch', function()
  local board, system = require 'distributed.launch.board', require 'distributed.launch.system'

  -- Entries of ranks from lists of the ranks that they wait for: in a call, or by an asynchronous one.
  local function holdups(lists)
    local entries = {}
    for i, list in ipairs(lists) do
      local isAsync = list.async
      entries[i] = { state = (isAsync or list == '') and 'computing' or 'call', waits = isAsync and '' or list,
        pending = isAsync and 'barrier at a.lua:1, waits for rank ' .. isAsync or '' }
    end
    return table.concat(board.holdups(entries), '; ')
  end

  it('tells who holds up whom', function()
    assert.equal('', holdups { '', '' })
    assert.equal('rank 0 holds up rank 1', holdups { '', '0' })
    assert.equal('rank 0 holds up ranks 1, 2 and 3', holdups { '', '2', '0', '1' })
    assert.equal('rank 0 holds up rank 2; rank 1 holds up rank 2', holdups { '', '', '0, 1' })
    assert.equal('rank 1 holds up rank 0', holdups { { async = '1' }, '' })
    assert.equal('ranks 0 and 1 wait for each other', holdups { '1', '0', '' })
    assert.equal('ranks 0, 1 and 2 wait for each other', holdups { '1', '2', { async = '0' } })
    assert.equal('rank 2 holds up ranks 0 and 1', holdups { '1', '0, 2', '' })
  end)

  it('takes a rank that has ended for lost, unless it has finished', function()
    local watch, path = require 'distributed.launch.watch', os.tmpname()
    local pid = tonumber(shell 'echo $$':match '%d+')      -- of a shell that has ended
    local function bytes(n) return string.char(n % 256, math.floor(n / 256) % 256, math.floor(n / 65536) % 256, 0) end
    local function lost(state)
      files.write(path, ('\0'):rep(1024) .. bytes(pid) .. bytes(state) .. ('\0'):rep(1016))
      local seen = watch.new(path)
      seen:look()
      return seen.lost
    end
    assert.equal(1, lost(1))      -- computing
    assert.equal(1, lost(2))      -- in a call
    assert.is_nil(lost(3))      -- finished
    os.remove(path)
  end)

  it('takes reports of ranks on other machines', function()
    local path = os.tmpname()
    board.create(path, 3)
    local before, report = board.split(('a wo\1moontorch\0012\00177\0015\001100\1barrier\1a.lua:3\0010\1\1\1other'))
    assert.equal('a wo', before)
    board.store(path, 1, report)
    board.store(path, 2, 'no report')
    local entries, now = board.read(path), system.now()
    assert.equal('absent', entries[1].state)
    assert.equal('absent', entries[3].state)
    assert.same({ 'call', 77, 5, 'other' }, { entries[2].state, entries[2].pid, entries[2].calls, entries[2].machine })
    assert.equal('in barrier at a.lua:3, waits for rank 0', board.about(entries[2]))
    assert.truthy(now - entries[2].since >= 100)
    os.remove(path)
  end)
end)

describe('Lua values between ranks', function()
  it('are copied, collected and sent', function()
    for _, output in ipairs(ranks.run(3, [[
      local value = dist.broadcastObject(rank == 1 and { a = 1, t = torch.ones(3) } or nil, 1)
      assert(value.a == 1 and value.t:sum() == 3)
      for i, each in ipairs(dist.allGatherObject { rank, ('x'):rep(rank * 1000) }) do
        assert(each[1] == i - 1 and #each[2] == 1000 * (i - 1))
      end
      local all = dist.gatherObject(rank > 0, 2)
      if rank == 2 then assert(all[1] == false and all[2] == true) else assert(all == nil) end
      if rank == 0 then dist.sendObject('word', 2, { tag = 3 }) end
      if rank == 2 then assert(dist.receiveObject(0, { tag = 3 }) == 'word') end
      local lists = { 1, 'two', { 3, torch.ones(4) } }
      local mine = dist.scatterObject(rank == 1 and lists or nil, 1)
      assert(rank == 2 and mine[1] == 3 and mine[2]:sum() == 4 or mine == lists[rank + 1])
      local pair = dist.newGroup { 2, 0 }
      if rank ~= 1 then
        local part = dist.scatterObject(rank == 2 and { 'first', 'second' }, 2, { group = pair })
        assert(part == (rank == 2 and 'first' or 'second'))
      end
      if rank == 0 then
        local _, short = pcall(dist.scatterObject, { 1, 2 }, 0)
        assert(short:find('scatterObject: list: 2 values, expected 3, one for each rank', 1, true), short)
      end
      local handles = {
        dist.broadcastObject(rank == 2 and { 'b' }, 2, { async = true }), dist.allGatherObject(rank * 10, { async = true }),
        dist.gatherObject(rank * 20, 0, { async = true }), dist.scatterObject(rank == 0 and { 'x', 'y', 'z' }, 0, { async = true }),
        dist.sendObject({ from = rank }, (rank + 1) % n, { async = true }),
      }
      assert(dist.receiveObject((rank - 1) % n).from == (rank - 1) % n)
      assert(handles[4]:wait() == ({ 'x', 'y', 'z' })[rank + 1] and handles[4]:wait() == ({ 'x', 'y', 'z' })[rank + 1])
      local gathered = handles[3]:wait()
      assert(rank == 0 and gathered[3] == 40 or rank > 0 and gathered == nil)
      assert(handles[2]:wait()[3] == 20 and handles[1]:wait()[1] == 'b')
      assert(handles[5]:wait() == nil and handles[5]:isCompleted())
      local next, former = (rank + 1) % n, (rank - 1) % n      -- receives come in the order of the calls, whichever is asked for first
      local sizes, coming, sent = { 3, 5000, 0 }, {}, {}
      for i = 1, 3 do coming[i] = dist.receiveObject(former, { async = true, tag = 5 }) end
      assert(not coming[3]:isCompleted())
      for i, size in ipairs(sizes) do sent[i] = dist.sendObject({ i, ('y'):rep(size) }, next, { async = true, tag = 5 }) end
      local third = coming[3]:wait()
      assert(third[1] == 3 and third[2] == '' and coming[3]:wait() == third and coming[3]:isCompleted())
      while not coming[2]:isCompleted() do end
      assert(coming[2]:wait()[1] == 2 and #coming[2]:wait()[2] == 5000 and coming[1]:wait()[1] == 1)
      for i = 1, 3 do sent[i]:wait() end
      -- A value that one rank can't send is an error of all that would get it.
      local function refuses(expected, f, ...)
        local good, problem = pcall(f, ...)
        assert(not good and problem:find('torch.distributed.' .. expected, 1, true), tostring(problem))
      end
      refuses(rank == 1 and 'allGatherObject: value.1: a function, expected' or 'allGatherObject: rank 1: value.1: a function',
        dist.allGatherObject, { rank == 1 and print })
      refuses(rank == 2 and 'broadcastObject: value: a thread, expected' or 'broadcastObject: rank 2: value: a thread',
        dist.broadcastObject, rank == 2 and coroutine.create(print), 2)
      local scattered = { pcall(dist.scatterObject, rank == 0 and { 1, print, 3 }, 0) }
      assert(scattered[1] == (rank == 2) and (rank == 2 and scattered[2] == 3
        or scattered[2]:find(('scatterObject: %svalue: a function'):format(rank == 1 and 'rank 0: ' or ''), 1, true)), scattered[2])
      local whole = { pcall(dist.gatherObject, rank == 1 and print or 0, 2) }
      assert(whole[1] == (rank == 0), whole[2])
      dist.barrier()
      io.write 'ok'
    ]])) do
      assert.equal('ok', output)
    end
  end)
end)
