-- Temporary files lie in folders of their process alone, and are gone when it ends.
local files = require 'spec.support.files'
local program = require 'spec.support.program'
local shell = require 'spec.support.shell'

describe('Temporary files', function()
  local folder
  before_each(function() folder = shell 'mktemp -d':gsub('\n', '') end)
  after_each(function() os.execute('rm -rf ' .. folder) end)

  local function run(code, status)
    local environment = 'ASAN_OPTIONS=detect_leaks=0 TMPDIR=' .. folder      -- os.exit closes no state
    local output, ended, errors = program.run({ '-e', code }, '', environment)
    assert.same({ status or 0, '' }, { ended, status and '' or errors })
    return output
  end
  local function left() return shell(('ls %s'):format(folder)) end
  local use = [[
    local name = require 'libmoontorch'.temporaryName '.txt'
    local file = io.open(name, 'w') file:write 'mine' file:close()
    os.execute('stat -c %a ' .. name:match '^(.*)/')
    io.write(name, '\n')
  ]]

  it('are in a folder that others can not even list', function()
    local output = run(use .. "io.write(paths.tmpname(), '\\n')")
    local mode, name, second = output:match '^(%d+)\n(%S+)\n(%S+)\n$'
    assert.equal('700', mode)
    assert.matches('^' .. folder:gsub('%p', '%%%0') .. '/moontorch%-%w+/[%d-]+%.txt$', name)
    assert.equal(name:match '^(.*)/', second:match '^(.*)/')
  end)

  it('go when the process ends, however it does', function()
    run(use)
    run(use .. 'os.exit(3)', 3)
    run(use .. 'error "no"', 1)
    run(use .. [[
      local pool = torch.processes(2, function() require 'libmoontorch' end)
      pool:addjob(function()
        local name = require 'libmoontorch'.temporaryName()
        local file = io.open(name, 'w') file:write 'theirs' file:close()
      end)
      pool:terminate()
    ]])
    run [[
      local pool = torch.processes(1)
      for _ = 1, 2 do
        pool:addjob(function() io.open(require 'libmoontorch'.temporaryName(), 'w'):close() end)
        pcall(pool.synchronize, pool)
        pool:addjob(function() os.exit(1) end)
        pcall(pool.synchronize, pool)
      end
    ]]
    assert.equal('', left())
  end)

  it('may stay for a program that reads them later', function()
    local name = run "local name = require 'libmoontorch'.temporaryName('.svg', true) io.open(name, 'w'):close() io.write(name)"
    assert.equal('', files.read(name))
    assert.equal('700\n', shell(('stat -c %%a %s'):format(name:match '^(.*)/')))
  end)

  it('are where TMPDIR says, if that is no folder relative to the current one', function()
    assert.matches('^/tmp/moontorch', program.run({ '-e', "io.write(require 'libmoontorch'.temporaryName())" }, '', 'TMPDIR=.'))
    local output, status = program.run({ '-e', "io.write(select(2, pcall(require 'libmoontorch'.temporaryName)))" }, '', 'TMPDIR=/no/such')
    assert.same({ 'temporary file: folder: /no/such: No such file or directory', 0 }, { output, status })
  end)

  it('are made by one function', function()
    local others = "grep -rn 'tmpname\\|mkstemp\\|mkdtemp' lua engine bindings bin packages cuda"
    local found = shell(others .. " | grep -v '^lua/paths/\\|temporary_folder\\|^cuda/emulated/compiler'")
    assert.equal('', found)
  end)
end)
