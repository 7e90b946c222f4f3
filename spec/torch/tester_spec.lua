-- torch.Tester and torch.TestSuite: which values each assertion treats as equal, and the reports of runs.
local torch = require 'torch'
local nan, inf = 0 / 0, math.huge

-- Calls f and captures io.write; returns the results of f and the output.
local function caught(f)
  local write, parts = io.write, {}
  rawset(io, 'write', function(...) table.insert(parts, table.concat { ... }) end)
  local results = { pcall(f) }
  rawset(io, 'write', write)
  return results, table.concat(parts)
end

-- Runs one test; returns its errors, its warnings, its output, and whether the run raised an error.
local function try(test, setUp)
  local tester = torch.Tester()
  if setUp then setUp(tester) end
  tester:add(function() test(tester) end, 'the test')
  local results, output = caught(function() return tester:run() end)
  return tester, output, results
end

describe('an assertion of torch.Tester', function()
  local T = torch.Tensor
  local shared = {}
  local cyclic, other = {}, {}
  cyclic.me, other.me = cyclic, other
  local function fails() error('boom', 0) end
  local function works() end

  local cases = {      -- name, whether it holds, arguments
    { 'assert', true, true }, { 'assert', false, false, 'why' },
    { 'assertlt', true, 1, 2 }, { 'assertlt', false, 2, 2 }, { 'assertgt', true, 2, 1 }, { 'assertgt', false, 1, 1 },
    { 'assertle', true, 2, 2 }, { 'assertle', false, 3, 2 }, { 'assertge', true, 2, 2 }, { 'assertge', false, 1, 2 },
    { 'asserteq', true, 'a', 'a' }, { 'asserteq', false, {}, {} }, { 'assertne', true, 1, 2 }, { 'assertne', false, 1, 1 },
    { 'assertalmosteq', true, 1, 1 }, { 'assertalmosteq', false, 1, 1.1 }, { 'assertalmosteq', true, 1, 1.1, 0.2 },
    { 'assertalmosteq', true, 1, 1.1, 'near', 0.2 }, { 'assertalmosteq', false, nan, nan, 1 }, { 'assertalmosteq', true, inf, inf },
    { 'eq', true, 1, 1 }, { 'eq', false, 1, 1.5 }, { 'eq', true, 1, 1.5, 0.5 }, { 'eq', true, 1, 1.5, 'm', 0.5 }, { 'eq', false, 1, '1' },
    { 'eq', true, 'a', 'a' }, { 'eq', true, works, works }, { 'eq', false, works, fails }, { 'eq', true, nil, nil },
    { 'eq', true, { 1, { x = 2 } }, { 1, { x = 2 } } }, { 'eq', false, { 1 }, { 1, 2 } }, { 'eq', false, { 1, 2 }, { 1 } },
    { 'eq', true, { 1, { T { 1 } } }, { 1.5, { T { 1.5 } } }, 0.5 }, { 'eq', true, shared, shared }, { 'eq', true, cyclic, other },
    { 'eq', true, T { 1, 2 }, T { 1, 2 } }, { 'eq', false, T { 1, 2 }, T { 1, 3 } },
    { 'eq', false, T { 1, 2 }, torch.FloatTensor { 1, 2 } }, { 'eq', false, T { 1, 2 }, T { { 1, 2 } } },
    { 'eq', true, T(), T() }, { 'eq', true, T(), T(0) }, { 'eq', true, T(0, 3), T() }, { 'eq', false, T(0), T(0, 3) },
    { 'eq', false, T(), T { 1 } }, { 'eq', false, T(), torch.FloatTensor(0) }, { 'eq', false, T { nan }, T { nan }, 9 },
    { 'eq', true, T { inf }, T { inf } }, { 'eq', false, T { inf }, T { -inf }, 9 },
    { 'eq', false, torch.ByteTensor { 0 }, torch.ByteTensor { 255 }, 1 },      -- no wrapping
    { 'eq', true, torch.LongStorage { 1, 2 }, torch.LongStorage { 1, 2 } },
    { 'eq', false, torch.LongStorage { 1 }, torch.LongStorage { 2 } },
    { 'ne', false, { 1 }, { 1 } }, { 'ne', true, { 1 }, { 2 } }, { 'ne', false, 1, 1.5, 0.5 }, { 'ne', true, T { 1 }, T { 2 } },
    { 'assertGeneralEq', true, 1, 1 }, { 'assertGeneralNe', true, 1, 2 },
    { 'assertTensorEq', true, T { 1, 2 }, T { 1, 2.5 }, 0.5 }, { 'assertTensorEq', false, T { 1, 2 }, T { 1, 2.5 }, 0.4, 'why' },
    { 'assertTensorEq', true, T(2, 3):fill(1), T(6):fill(1) }, { 'assertTensorEq', false, T { 1 }, T { 1, 2 } },
    { 'assertTensorEq', true, T(), T() }, { 'assertTensorEq', false, T { nan }, T { nan }, 1 },
    { 'assertTensorEq', true, T { { 1, 2 }, { 3, 4 } }:t(), T { { 1, 3 }, { 2, 4 } } },
    { 'assertTensorNe', true, T { 1 }, T { 2 }, 0.5 }, { 'assertTensorNe', false, T { 1 }, T { 2 }, 1 },
    { 'assertTensorNe', false, T { nan }, T { nan } },
    { 'assertTableEq', true, { a = { 1 } }, { a = { 1 } } }, { 'assertTableEq', false, { 1 }, {} },
    { 'assertTableEq', true, { 1 }, { 1.25 }, 0.25 }, { 'assertTableNe', true, { 1 }, {} }, { 'assertTableNe', false, { 1 }, { 1 } },
    { 'assertError', true, fails }, { 'assertError', false, works }, { 'assertNoError', true, works }, { 'assertNoError', false, fails },
    { 'assertErrorMsg', true, fails, 'boom' }, { 'assertErrorMsg', false, fails, 'bo' }, { 'assertErrorMsg', false, works, 'boom' },
    { 'assertErrorPattern', true, fails, 'b.+m$' }, { 'assertErrorPattern', false, fails, '^m' },
    { 'assertErrorObj', true, fails, function(err) return err == 'boom' end }, { 'assertErrorObj', false, fails, works },
  }

  it('says whether it holds, and records it when it does not', function()
    for i, case in ipairs(cases) do
      local returned
      local label = ('case %d, %s'):format(i, case[1])
      local tester, _, results = try(function(t) returned = t[case[1]](t, unpack(case, 3, 6)) end)
      assert.equal(case[2], returned, label)
      assert.equal(case[2] and 0 or 1, #tester.errors, label)
      assert.equal(case[2], results[1], label)
      assert.equal(1, tester.countasserts, label)
    end
  end)

  it('puts the message into the report', function()
    local tester = try(function(t) t:assertTensorEq(torch.zeros(2), torch.ones(2), 0.5, 'my message') end)
    assert.matches('^the test\nmy message\n.*max abs difference 1', tester.errors[1])
    assert.matches('tester_spec%.lua:%d+', tester.errors[1])
  end)

  it('warns of likely mistakes', function()
    for _, test in ipairs {
      function(t) t:assert(1) end,
      function(t) t:assertne({}, {}) end,
      function(t) t:assertTensorEq(torch.ones(2, 3), torch.ones(6)) end,
    } do
      local tester, output = try(test)
      assert.equal(1, #tester.warnings)
      assert.matches('1 warning\n', output)
    end
  end)
end)

describe('a run of torch.Tester', function()
  local function suiteOf()
    local suite = torch.TestSuite()
    return suite
  end

  it('prints a line for each test and a summary', function()
    local tester, suite = torch.Tester(), suiteOf()
    function suite.good() tester:assert(true) end
    function suite.bad() tester:assert(false) end
    function suite.broken() error 'x' end
    function suite.off() end
    assert.equal(tester, tester:add(suite))
    assert.equal(tester, tester:disable 'off')
    local results, output = caught(function() return tester:run() end)
    assert.is_false(results[1])
    assert.matches('An error was found while running tests!$', results[2])
    assert.matches('^Running 4 tests\n', output)
    assert.matches('\n1/4 good %.+ %[PASS%]\n2/4 bad %.+ %[FAIL%]\n3/4 broken %.+ %[ERROR%]\n4/4 off %.+ %[SKIP%]\n', output)
    assert.matches('Completed 2 asserts in 3 tests with 1 failure and 1 error, 1 disabled test\n', output)
    assert.matches('broken\nFunction call failed\n.*x\nstack traceback', output)
    for line in output:match('^(.-)Completed'):gmatch '[^\n]+' do assert.is_true(#line <= 80) end
  end)

  it('returns 0 when all is well, for one name, a pattern, or a list', function()
    local tester, ran = torch.Tester(), {}
    for _, name in ipairs { 'add', 'addmm', 'sum' } do tester:add(function() table.insert(ran, name) end, name) end
    local function names(wanted)
      ran = {}
      local results = caught(function() return tester:run(wanted) end)
      assert.same({ true, 0 }, results)
      return table.concat(ran, ' ')
    end
    assert.equal('add addmm sum', names())
    assert.equal('sum', names 'sum')
    assert.equal('add addmm', names 'add')
    assert.equal('add addmm', names '^ad')
    assert.equal('add sum', names { 'sum', 'add$' })
    local results = caught(function() tester:run 'nothing' end)
    assert.matches("Couldn't find test 'nothing'", results[2])
  end)

  it('surrounds tests with _setUp and _tearDown', function()
    local tester, suite, calls = torch.Tester(), suiteOf(), {}
    function suite._setUp(name) table.insert(calls, 'up ' .. name) end
    function suite._tearDown(name) table.insert(calls, 'down ' .. name) end
    function suite.one() table.insert(calls, 'one') end
    tester:add(suite)
    local _, output = caught(function() tester:run() end)
    assert.same({ 'up one', 'one', 'down one' }, calls)
    assert.matches('^Running 1 test\n', output)
  end)

  it('stops, raises, or keeps to the summary when told so', function()
    local function prepare(method)
      local tester = torch.Tester()
      tester:add(function() tester:assert(false, 'details') end, 'a'):add(function() end, 'b')
      tester[method](tester, true)
      local results, output = caught(function() return tester:run() end)
      return output, results[2]
    end
    assert.is_nil(prepare('setEarlyAbort'):find('2/2', 1, true))
    assert.is_nil(prepare('setSummaryOnly'):find('details', 1, true))
    local output, err = prepare 'setRethrowErrors'
    assert.is_nil(output:find('Completed', 1, true))
    assert.matches('details', err)
  end)

  it('refuses names that are taken, and tests that are none', function()
    local tester, suite = torch.Tester(), suiteOf()
    function suite.a() end
    assert.error_matches(function() function suite.a() end end, 'Test a is already defined%.')
    assert.error_matches(function() suite.b = {} end, 'Nested tables of tests are not supported')
    assert.error_matches(function() suite.b = 3 end, 'Only functions are supported as members of a TestSuite')
    tester:add(suite)
    assert.error_matches(function() tester:add(suite) end, 'Test with name a already exists!')
    assert.error_matches(function() tester:add(suite, 'name') end, 'Name parameter is forbidden for a table of tests')
    assert.error_matches(function() tester:disable 'z' end, "Couldn't find test 'z'")
    assert.is_function(tester.tests.a)
    tester:add { c = function() end }
    caught(function() tester:run() end)
    assert.equal(1, #tester.warnings)
  end)
end)

describe('torch.test', function()
  it('finds nothing wrong and leaves the random stream alone', function()
    torch.manualSeed(5)
    local expected = torch.uniform()
    torch.manualSeed(5)
    local results = caught(function() return torch.test { 'random', 'arithmetic' } end)
    assert.same({ true, 0 }, results)
    assert.equal(expected, torch.uniform())
  end)
end)
