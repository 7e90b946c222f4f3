-- torch.CmdLine: parsing, defaults, help, the run's name and the log. Cases that end the program run in a separate one.
local torch = require 'torch'

local function newCommand()
  local cmd = torch.CmdLine()
  cmd:text('Train a network')
  cmd:argument('file', 'input file')
  cmd:option('-rate', 0.1, 'learning rate')
  cmd:option('-name', 'run', 'name of the run')
  cmd:option('-quick', false, 'be quick')
  return cmd
end

-- Runs code with os.exit, io.write and io.stderr caught; returns status, output and messages.
local function caught(f)
  local exit, write, stderr = os.exit, io.write, io.stderr
  local output, messages, status = {}, {}, nil
  rawset(os, 'exit', function(code)
    status = code
    error('exit', 0)
  end)
  rawset(io, 'write', function(...) table.insert(output, table.concat { ... }) end)
  rawset(io, 'stderr', { write = function(_, ...) table.insert(messages, table.concat { ... }) end })
  local good, err = pcall(f)
  rawset(os, 'exit', exit)
  rawset(io, 'write', write)
  rawset(io, 'stderr', stderr)
  if not good and err ~= 'exit' then error(err, 0) end
  return status, table.concat(output), table.concat(messages)
end

describe('torch.CmdLine', function()
  it('returns the options of the command line, and defaults for the others', function()
    local params = newCommand():parse { 'a.txt', '-rate', '2e-3', '-quick' }
    assert.same({ file = 'a.txt', rate = 0.002, name = 'run', quick = true }, params)
  end)

  it('takes arguments and options in any order, and negative numbers', function()
    local params = newCommand():parse { '-rate', '-3', 'b.txt', '-name', '-x' }
    assert.same({ file = 'b.txt', rate = -3, name = '-x', quick = false }, params)
  end)

  it('flips a boolean that is true by default', function()
    local cmd = torch.CmdLine()
    cmd:option('--on', true, '')
    assert.same({ on = false }, cmd:parse { '--on' })
    assert.same({ on = true }, cmd:default())
  end)

  it('refuses options without a default or with one of another type', function()
    local cmd = torch.CmdLine()
    assert.error_matches(function() cmd:option('-z') end, 'option %-z has no default value')
    assert.error_matches(function() cmd:option('-z', 'x', '', 'number') end, 'wrong default type value')
    assert.error_matches(function() cmd:text(3) end, 'text: number, expected a string')
  end)

  it('ends the program with the help for a wrong command line', function()
    local wrong = {
      [{ 'a', '-rate' }] = 'missing argument for option %-rate',
      [{ 'a', '-rate', 'fast' }] = 'invalid argument for option %-rate: fast',
      [{ 'a', 'b' }] = 'invalid argument: b',
      [{ 'a', '-rates', '1' }] = 'unknown required option type table',
      [{}] = 'not enough arguments',
    }
    for words, message in pairs(wrong) do
      local status, output, messages = caught(function()
        local cmd = newCommand()
        cmd:option('-rates', { 1, 2 }, 'a list')
        cmd:parse(words)
      end)
      assert.equal(1, status)
      assert.matches(message, messages)
      assert.matches('Usage:', output)
    end
  end)

  it('takes defaults of any type, which only reading such an option refuses', function()
    local cmd, rates = torch.CmdLine(), { 1, 2 }
    cmd:option('-rates', rates, 'a list')
    cmd:option('-call', print, 'a function')
    local params = cmd:parse {}
    assert.is_true(rawequal(rates, params.rates))
    assert.equal(print, params.call)
    assert.same({ key = '-rates', default = rates, help = 'a list', type = 'table' }, cmd.options['-rates'])
  end)

  it('shows the content of tables in the help, the log and the name of a run', function()
    local cmd, name, screen = torch.CmdLine(), os.tmpname(), print
    cmd:option('-rates', { 1, 2, warm = { up = true } }, 'a list')
    local _, output = caught(function() cmd:help {} end)
    assert.matches('a list [{1,2,warm={up=true}}]', output, 1, true)
    local params = cmd:default()
    assert.equal('run', cmd:string('run', params, {}))
    params.rates = { 0.5 }
    assert.equal('run,rates={0.5}', cmd:string('run', params, {}))
    params.rates[2] = params.rates
    cmd:log(name, params)
    rawset(_G, 'print', screen)
    assert.matches('\nrates\t{0.5,{0.5,{0.5,{...}}}}\n', io.open(name):read '*a', 1, true)
    os.remove(name)
  end)

  it('stores declarations in fields, and strings and tables of the help in order', function()
    local cmd = newCommand()
    assert.same({ key = 'file', help = 'input file', type = 'string' }, cmd.arguments[1])
    assert.equal('Train a network', cmd.helplines[1])
    assert.is_true(rawequal(cmd.arguments[1], cmd.helplines[2]))
    assert.is_true(rawequal(cmd.options['-quick'], cmd.helplines[5]))
    assert.same({ ',', '=', false }, { cmd.argseparator, cmd.keyseparator, cmd.silentio })
    assert.is_nil(cmd.dateformat)
    cmd:silent()
    cmd:addTime('100%', '%Y')
    assert.is_true(cmd.silentio)
    assert.equal('2001 [100%]: ', os.date(cmd.dateformat, os.time { year = 2001, month = 7, day = 1 }))
  end)

  it('reads by methods that a subclass may override, and reports by one', function()
    local Lists, parent = torch.class('spec.ListLine', 'torch.CmdLine', {})
    function Lists:__readOption__(params, arg, i)
      local option = self.options[arg[i]]
      if option.type ~= 'table' then return parent.__readOption__(self, params, arg, i) end
      local list, n = {}, 1
      while tonumber(arg[i + n]) do
        list[n], n = tonumber(arg[i + n]), n + 1
      end
      params[option.key:gsub('^%-+', '')] = list
      return n
    end
    function Lists:__readArgument__(params, arg, i, nArgument)
      local taken = parent.__readArgument__(self, params, arg, i, nArgument)
      params.last = nArgument
      return taken
    end
    function Lists:error(message) error('said: ' .. message, 0) end                       -- luacheck: no self
    local cmd = Lists()
    cmd:option('-rates', {}, 'a list')
    cmd:option('-n', 1, 'a number')
    cmd:argument('from', '')
    cmd:argument('to', '')
    assert.same({ rates = { 0.5, 3 }, n = 7, from = 'a', to = 'b', last = 2 }, cmd:parse { '-rates', '0.5', '3', 'a', '-n', '7', 'b' })
    assert.error_matches(function() cmd:parse { 'a', 'b', 'c' } end, '^said: invalid argument: c')
    assert.error_matches(function() cmd:parse { 'a', 'b', '-n' } end, '^said: missing argument for option %-n')
    assert.error_matches(function() cmd:parse { 'a' } end, '^said: not enough arguments')
    assert.error_matches(function() parent.__readOption__(cmd, {}, { '-other' }, 1) end, '^said: unknown option %-other')
  end)

  it('takes a word for help as the value of an option', function()
    local cmd = torch.CmdLine()
    cmd:option('-name', '', '')
    assert.same({ name = '-h' }, cmd:parse { '-name', '-h' })
  end)

  it('prints the help and ends with status 0 when asked', function()
    for _, word in ipairs { '-h', '-help', '--help' } do
      local status, output = caught(function() newCommand():parse { [0] = 'train.lua', word } end)
      assert.equal(0, status)
      assert.matches('Usage: train.lua %[options%] <file>', output)
      assert.matches('Train a network', output)
      assert.matches('%-rate +learning rate %[0.1%]', output)
      assert.matches('<file> +input file', output)
    end
  end)

  it('names a run by the options that differ from the defaults, sorted', function()
    local cmd = newCommand()
    local params = cmd:parse { 'a', '-rate', '1', '-quick' }
    assert.equal('exp,file=a,quick=t,rate=1', cmd:string('exp', params, {}))
    assert.equal('exp,name=run,quick=t,rate=1', cmd:string('exp', params, { file = true, name = false }))
    assert.equal('exp|rate:1', (function()
      local other = torch.CmdLine('|', ':')
      other:option('-rate', 0, '')
      return other:string('exp', { rate = 1 }, {})
    end)())
    assert.has_error(function() cmd:string('exp', params) end)
  end)

  it('logs what print prints after a header, silently if so told', function()
    local name, screen = os.tmpname(), print
    local cmd = newCommand()
    cmd:silent()
    cmd:addTime('job', '%Y')
    cmd:log(name, { rate = 1 })
    print('hello', 3)
    rawset(_G, 'print', screen)
    local file = io.open(name)
    local content = file:read '*a'
    file:close()
    os.remove(name)
    assert.matches('rate\t1\n', content)
    assert.matches('%d%d%d%d %[job%]: hello\t3\n$', content)
  end)
end)
