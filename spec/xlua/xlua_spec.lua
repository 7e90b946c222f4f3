-- xlua: progress bar, arguments, option parser, text and table functions.
local xlua = require 'xlua'

local function written(f)
  local write, parts = io.write, {}
  rawset(io, 'write', function(...)
    table.insert(parts, table.concat { ... })
    return io.stdout
  end)
  local good, err = pcall(f)
  rawset(io, 'write', write)
  assert(good, err)
  return table.concat(parts)
end

describe('xlua.formatTime', function()
  it('shows at most two units', function()
    local cases = {
      [0] = '0ms', [0.0004] = '0ms', [0.0125] = '12ms', [4.25] = '4s250ms', [60] = '1m', [121] = '2m1s',
      [3 * 3600 + 300.5] = '3h5m', [93784.5] = '1D2h',
    }
    for seconds, text in pairs(cases) do assert.equal(text, xlua.formatTime(seconds)) end
  end)
end)

describe('xlua.progress', function()
  it('redraws one line and ends it at the goal', function()
    local output = written(function()
      for i = 1, 4 do xlua.progress(i, 4) end
    end)
    assert.equal(4, select(2, output:gsub('\r', '')))
    assert.equal(1, select(2, output:gsub('\n', '')))
    assert.matches('%[=+>%.+%] 1/4 ETA: %S+ | Step: %S+', output)
    assert.matches('%[=+%] 4/4 Tot: %S+ | Step: %S+', output)
    assert.matches('\n$', output)
  end)

  it('begins a new bar after the last one', function()
    local output = written(function()
      xlua.progress(0, 1)
      xlua.progress(1, 1)
      xlua.progress(0, 2)
      xlua.progress(2, 2)
    end)
    assert.equal(2, select(2, output:gsub('\n', '')))
    assert.matches(' %[>%.+%] 0/2', output)
  end)

  it('draws a finished bar once, however often its end is told', function()
    local output = written(function()
      xlua.progress(1, 3)
      for _ = 1, 3 do xlua.progress(3, 3) end
    end)
    assert.equal(1, select(2, output:gsub('\n', '')))
    assert.equal(1, select(2, output:gsub('3/3', '')))
  end)
end)

describe('xlua text', function()
  it('prints tables one level deep and cuts long values', function()
    assert.equal('{[1] = ' .. ('x'):rep(40) .. '...}\n', written(function() xlua.print { ('x'):rep(50) } end))
    assert.equal('3    y\n', written(function() xlua.print(3, 'y') end))
    local object = setmetatable({}, { __tostring__ = function() return 'object' end })
    assert.equal('object\n', written(function() xlua.print(object) end))
  end)

  it('table2string quotes strings and nests', function()
    assert.equal('{1,2,a="x"}', xlua.table2string { 1, 2, a = 'x' })
    assert.equal('{{true}}', xlua.table2string { { true } })
    assert.equal('{1,\n a : 2}', xlua.table2string({ 1, a = 2 }, true))
  end)

  it('envparams reads the environment by the type of the default', function()
    local getenv = os.getenv
    rawset(os, 'getenv', function(name) return ({ n = '3', b = 'True', s = 'x', bad = 'y' })[name] end)
    finally(function() rawset(os, 'getenv', getenv) end)
    assert.same({ n = 3, b = true, s = 'x', other = 1 }, xlua.envparams { n = 1, b = false, s = '', other = 1 })
    assert.has_error(function() xlua.envparams { bad = 1 } end)
  end)
end)

describe('xlua arguments', function()
  local function call(...)
    return xlua.unpack({ ... }, 'f', 'does things',
      { arg = 'a', type = 'number', req = true }, { arg = 'b', default = 5 }, { arg = 'c', defaulta = 'a' })
  end

  it('are taken by position or by name', function()
    local named, a, b, c = call { a = 1, c = 3 }
    assert.same({ 1, 5, 3 }, { a, b, c })
    assert.equal(5, named.b)
    assert.equal(3, named[3])
    assert.matches('does things', named.usage)
    local _, a2, b2, c2 = call(7, false)
    assert.same({ 7, false, 7 }, { a2, b2, c2 })
  end)

  it('that are missing print the usage and raise', function()
    local screen, printed = print, nil
    rawset(_G, 'print', function(text) printed = text end)
    finally(function() rawset(_G, 'print', screen) end)
    assert.error_matches(function() call { b = 1 } end, 'f: a: missing')
    assert.matches('REQUIRED', printed)
    assert.error_matches(function() call() end, 'f: no arguments')
  end)

  it('become fields of an object', function()
    local object = {}
    xlua.unpack_class(object, { { a = 2 } }, 'f', '', { arg = 'a' }, { arg = 'b', default = 'x' })
    assert.equal(2, object.a)
    assert.equal('x', object.b)
  end)
end)

describe('xlua.OptionParser', function()
  local function parse(words)
    local saved = rawget(_G, 'arg')
    rawset(_G, 'arg', words)
    local parser = xlua.OptionParser('Usage: %prog')
    parser:option { '-s', '--size', dest = 'size', default = 3 }
    parser:option { '-q', '--quick', action = 'store_true', dest = 'quick' }
    local options, rest = parser:parse()
    rawset(_G, 'arg', saved)
    return options, rest, parser
  end

  it('reads both spellings and keeps the rest', function()
    local options, rest = parse { 'x', '-s', '5', '--quick', 'y' }
    assert.same({ size = '5', quick = true, __main__ = true }, options)
    assert.same({ 'x', 'y' }, rest)
    assert.equal('7', parse { '--size=7' }.size)
    assert.equal(3, parse({}).size)
  end)

  it('ends the program with a message, or with the help', function()
    local function ending(words)
      local exit, stderr, message, status = os.exit, io.stderr, nil, nil
      rawset(os, 'exit', function(code)
        status = code
        error('exit', 0)
      end)
      rawset(io, 'stderr', { write = function(_, ...) message = table.concat { ... } end })
      local output = written(function()
        assert.error_matches(function()
          local saved = rawget(_G, 'arg')
          finally(function() rawset(_G, 'arg', saved) end)
          rawset(_G, 'arg', words)
          local parser = xlua.OptionParser('Usage: %prog [options]')
          parser:option { '-r', '--rate', dest = 'rate', req = true, help = 'the rate', metavar = 'R' }
          parser:option { '--size', default = 3 }
          parser:parse()
        end, 'exit')
      end)
      rawset(os, 'exit', exit)
      rawset(io, 'stderr', stderr)
      return status, message, output
    end
    for text, words in pairs {
      ['unknown option %-z'] = { '-z' }, ['expects an argument'] = { '--rate' }, ['missing required option.*%-%-rate'] = {},
    } do
      words[0] = 'prog'
      local status, message, output = ending(words)
      assert.equal(1, status)
      assert.matches(text, message)
      assert.matches('^Usage: prog %[options%]\n', output)
    end
    local status, message, output = ending { '--help' }
    assert.equal(0, status)
    assert.is_nil(message)
    assert.matches('%-r R, %-%-rate=R +the rate %[REQUIRED%]\n  %-%-size=SIZE +%[default = 3%]', output)
  end)

  it('has no command line in a library', function()
    local options = parse(nil)
    assert.same({ size = 3, __main__ = false }, options)
  end)

  it('makes names of files', function()
    local _, _, parser = parse { '-s', 'a/b c' }
    assert.equal('size=a|b_c', parser:tostring(true, { '-s' }))
  end)
end)

describe('xlua.Profiler', function()
  it('reports laps of named timers', function()
    local profiler = xlua.Profiler('off')
    profiler:start('load', 'fps')
    local real, cpu = profiler:lap('load')
    assert.is_true(real >= 0 and cpu >= 0)
    assert.equal(real, profiler:real('load'))
    assert.matches('load: real = .* fps', profiler:format('load'))
    assert.error_matches(function() profiler:lap('other') end, 'no timer "other"')
  end)

  it('shows all timers, in colours on a terminal alone', function()
    local output = require('spec.support.program').evaluate [[
      local profiler = xlua.Profiler()
      profiler:setColor('b', 'red')
      for _, name in ipairs { 'a', 'b' } do profiler:start(name) profiler:lap(name) end
      profiler:displayAll()
      print(select(2, pcall(profiler.setColor, profiler, 'b', 'pale')))
    ]]
    assert.matches('^%$ a: real = [^\n]*\n%$ b: real = [^\n]*\n.*setColor: color: pale, expected a name of sys.COLORS', output)
  end)
end)

describe('additions to table and string', function()
  local splice, prune = rawget(table, 'splice'), rawget(table, 'prune')

  it('splice and prune make new arrays', function()
    local t = { 1, 2, 3, 4 }
    local kept, removed = splice(t, 2, 2)
    assert.same({ 1, 4 }, kept)
    assert.same({ 2, 3 }, removed)
    assert.equal(4, #t)
    assert.same({ 1, 2 }, prune { 1, 2, 1 })
    assert.same({ 3, 2 }, prune({ 1, 2, 3 }, function(v) return v % 2 end, function(v) return v end))
  end)

  it('split and tosymbol are methods of strings', function()
    assert.same({ 'a', 'b' }, ('a,b'):split(','))
    assert.equal(math.floor, ('math.floor'):tosymbol())
    assert.has_error(function() ('math.nothing'):tosymbol() end)
  end)
end)

describe('xlua sessions', function()
  it('catch errors and load packages gently', function()
    local caught
    xlua.trycatch(function() error('x', 0) end, function(err) caught = err end)
    assert.equal('x', caught)
    assert.is_true(xlua.installed('xlua'))
    assert.is_false(xlua.installed('no.such.package'))
    assert.error_matches(function() xlua.error('bad', 'f') end, '<f> bad')
  end)

  it('list and clear variables created since', function()
    rawset(_G, 'mine', 1)
    assert.matches('Globals:.*mine = 1', written(xlua.who))
    local lazily = package.loaded['xlua.text']
    xlua.clearall()
    assert.is_nil(rawget(_G, 'mine'))
    assert.equal(lazily, package.loaded['xlua.text'])
  end)

  it('clear one global', function()
    rawset(_G, 'somethingNew', 1)
    xlua.clear('somethingNew')
    assert.is_nil(rawget(_G, 'somethingNew'))
  end)
end)
