-- Extensions of torch.Tester by packages: hooks that they override, fields that they read, texts that they search.
local torch = require 'torch'

-- Calls f and captures io.write; returns the output, and the strings of its calls.
local function caught(f)
  local write, parts = io.write, {}
  rawset(io, 'write', function(...)
    for i = 1, select('#', ...) do table.insert(parts, (select(i, ...))) end
  end)
  local done, err = pcall(f)
  rawset(io, 'write', write)
  return table.concat(parts), parts, done, err
end

local function fails() error 'boom' end
local function works() end
local assertions = {      -- name, arguments that hold, arguments that don't
  assert = { { true }, { false } }, assertlt = { { 1, 2 }, { 2, 1 } }, assertgt = { { 2, 1 }, { 1, 2 } }, assertle = { { 1, 1 }, { 2, 1 } },
  assertge = { { 1, 1 }, { 1, 2 } }, asserteq = { { 1, 1 }, { 1, 2 } }, assertne = { { 1, 2 }, { 1, 1 } },
  assertalmosteq = { { 1, 1 }, { 1, 2 } }, eq = { { 1, 1 }, { 1, 2 } }, ne = { { 1, 2 }, { 1, 1 } },
  assertGeneralEq = { { 1, 1 }, { 1, 2 } }, assertGeneralNe = { { 1, 2 }, { 1, 1 } },
  assertTensorEq = { { torch.ones(2), torch.ones(2) }, { torch.ones(2), torch.zeros(2) } },
  assertTensorNe = { { torch.ones(2), torch.zeros(2) }, { torch.ones(2), torch.ones(2) } },
  assertTableEq = { { { 1 }, { 1 } }, { { 1 }, { 2 } } }, assertTableNe = { { { 1 }, { 2 } }, { { 1 }, { 1 } } },
  assertError = { { fails }, { works } }, assertNoError = { { works }, { fails } },
  assertErrorMsg = { { function() error('boom', 0) end, 'boom' }, { works, 'boom' } },
  assertErrorPattern = { { fails, 'boom' }, { works, 'boom' } },
  assertErrorObj = { { fails, function() return true end }, { works, fails } },
}

describe('every assertion of torch.Tester', function()
  it('returns the result of _assert_sub, and counts nothing itself', function()
    for name, cases in pairs(assertions) do
      local tester, seen = torch.Tester(), {}
      tester._assert_sub = function(_, condition, message)
        table.insert(seen, { condition, message })
        return condition, 'second'
      end
      assert.same({ true, 'second' }, { tester[name](tester, unpack(cases[1])) }, name)
      assert.same({ false, 'second' }, { tester[name](tester, unpack(cases[2])) }, name)
      assert.equal(2, #seen, name)
      assert.is_true(seen[1][1] and not seen[2][1], name)
      assert.same({ 'string', 'string' }, { type(seen[1][2]), type(seen[2][2]) }, name)
      assert.equal(0, #tester.errors, name)
    end
  end)

  it('calls _success or _failure, and returns their result', function()
    for name, cases in pairs(assertions) do
      local tester, failure = torch.Tester(), nil
      tester._success = function() return 'fine' end
      tester._failure = function(_, message)
        failure = message
        return 'broken', 7
      end
      assert.same({ 'fine' }, { tester[name](tester, unpack(cases[1])) }, name)
      assert.is_nil(failure)
      assert.same({ 'broken', 7 }, { tester[name](tester, unpack(cases[2])) }, name)
      assert.is_string(failure, name)
    end
  end)

  it('goes through the hook of its kind', function()
    local function reached(hook, ...)
      local tester, arguments = torch.Tester(), nil
      tester[hook] = function(_, _, _, negate, ...)
        arguments = { negate, ... }
        return 'hooked'
      end
      for _, name in ipairs { ... } do
        assert.equal('hooked', tester[name](tester, unpack(assertions[name][1], 1, 2)), name)
        assert.same({ name:sub(-2):lower() == 'ne' }, arguments, name)
        tester[name](tester, assertions[name][1][1], assertions[name][1][2], 0.5, 'why')
        assert.same({ name:sub(-2):lower() == 'ne', 0.5, 'why' }, arguments, name)
      end
    end
    reached('_eqOrNeq', 'eq', 'ne', 'assertGeneralEq', 'assertGeneralNe', 'assertTableEq', 'assertTableNe')
    reached('_assertTensorEqOrNeq', 'assertTensorEq', 'assertTensorNe')
    reached('_assertTableEqOrNeq', 'assertTableEq', 'assertTableNe')
  end)
end)

describe('a run of torch.Tester', function()
  local function prepared()
    local tester = torch.Tester()
    tester:add(function()
      tester:assert(true)
      tester:eq(1, 2)
      tester:assert(3)
    end, 'mixed')
    tester:add(function() error 'boom' end, 'broken'):add(works, 'off'):disable 'off'
    return tester
  end

  it('goes through _getTests, _run and _report', function()
    local tester, calls = prepared(), {}
    for _, name in ipairs { '_getTests', '_run', '_report' } do
      local inherited = tester[name]
      tester[name] = function(self, x)
        table.insert(calls, name)
        return inherited(self, x)
      end
    end
    caught(function() tester:run { 'mix', '^b' } end)
    assert.same({ '_getTests', '_run', '_report' }, calls)
    local tests = tester:_getTests 'ix'
    assert.equal(tester.tests.mixed, tests.mixed)
    assert.is_nil(tests.broken)
    assert.equal(tester.tests.broken, tester:_getTests().broken)
  end)

  it('fills the fields by test', function()
    local tester = prepared()
    local name
    tester:add(function() name = tester._currentTestName end, 'named')
    caught(function() tester:run() end)
    assert.same({ 2, 1, 0, 1 },
      { tester.assertionPass.mixed, tester.assertionFail.mixed, tester.testError.mixed, tester._warningCount.mixed })
    assert.same({ 0, 0, 1, 0 },
      { tester.assertionPass.broken, tester.assertionFail.broken, tester.testError.broken, tester._warningCount.broken })
    assert.equal('named', name)
    assert.equal('', tester._currentTestName)
    assert.equal(3, tester.countasserts)
    assert.is_truthy(tester.disabledTests.off)
    assert.same({ 2, 1 }, { #tester.errors, #tester.warnings })
    assert.is_true(tester._assertTensorEqIgnoresDims)
    tester:setEarlyAbort(true)
    tester:setRethrowErrors(true)
    tester:setSummaryOnly(true)
    assert.same({ true, true, true }, { tester.earlyAbort, tester.rethrow, tester.summaryOnly })
  end)

  it('calls a part of a test by _pcall: whether it raised, its result, whether it passed', function()
    local tester = torch.Tester()
    assert.same({ true, 7, true }, { tester:_pcall(function() return 7 end) })
    assert.same({ true, 8, false }, { tester:_pcall(function() tester:assert(false) return 8 end) })
    local good, traceback, passed = tester:_pcall(fails)
    assert.same({ false, false }, { good, passed })
    assert.matches('boom.*stack traceback', traceback)
    assert.equal(2, #tester.errors)
  end)

  it("writes each warning's text in one string", function()
    local texts = {
      [' :assert should only be used for boolean conditions. '] = function(t) t:assert(1) end,
      [' :assertne should only be used to compare basic lua objects (numbers, booleans, etc). '] = function(t) t:assertne({}, {}) end,
      ['booleans, etc). '] = function(t) t:assertne(torch.ones(1), 2) end,
      ['Tensors have the same content but different dimensions. '] = function(t) t:assertTensorEq(torch.ones(2, 3), torch.ones(6)) end,
    }
    for text, test in pairs(texts) do
      local tester = torch.Tester()
      tester:add(function() test(tester) end, 'warned')
      local _, parts = caught(function() tester:run() end)
      local found = 0
      for _, part in ipairs(parts) do
        if part:find(text, 1, true) then found = found + 1 end
      end
      assert.equal(1, found, text)
    end
    local tester = torch.Tester()
    for _, quiet in ipairs { { 1, {} }, { {}, 1 }, { 1, torch.ones(1) }, { 'a', 'b' } } do tester:assertne(quiet[1], quiet[2]) end
    tester:assertTensorEq(torch.ones(2, 3), torch.zeros(6))      -- which fails anyway
    assert.equal(0, #tester.warnings)
  end)

  it('warns of a plain table where it is added, also when no test runs', function()
    local tester = torch.Tester()
    tester:add {}
    for _ = 1, 2 do      -- in every run
      assert.is_truthy(caught(function() tester:run() end):find('Should use TestSuite rather than plain lua table', 1, true))
    end
    assert.equal(1, #tester.warnings)
  end)
end)

describe('tensor assertions', function()
  local tester
  before_each(function() tester = torch.Tester() end)

  it('compare types, also of empty tensors', function()
    for _, values in ipairs { { torch.FloatTensor(), torch.LongTensor() }, { torch.FloatTensor { 1 }, torch.DoubleTensor { 1 } } } do
      for _, name in ipairs { 'assertTensorEq', 'eq' } do
        local held, message = tester[name](tester, values[1], values[2])
        assert.is_false(held)
        assert.is_truthy(message:find('The tensors have different types', 1, true))
      end
      assert.is_true(tester:assertTensorNe(values[1], values[2]))
    end
    assert.is_true(tester:assertTensorEq(torch.FloatTensor(), torch.FloatTensor()))
  end)

  it('compare dimensions and sizes if requested; eq always does', function()
    local row, column, vector = torch.Tensor { { 1, 2 } }, torch.Tensor { { 1 }, { 2 } }, torch.Tensor { 1, 2 }
    assert.is_true(tester:assertTensorEq(row, vector))
    assert.is_true(tester:assertTensorEq(row, column))
    assert.is_false((tester:assertTensorNe(row, vector)))
    assert.is_false((tester:eq(row, vector)))
    tester._assertTensorEqIgnoresDims = false
    for text, other in pairs { ['The tensors have different dimensions'] = vector, ['The tensors have different sizes'] = column } do
      for _, name in ipairs { 'assertTensorEq', 'eq' } do
        local held, message = tester[name](tester, row, other)
        assert.is_false(held)
        assert.is_truthy(message:find(text, 1, true), message)
      end
      assert.is_true(tester:assertTensorNe(row, other))
    end
  end)
end)

describe('arguments that an assertion does not take', function()
  local x = torch.ones(1)
  local cases = {
    { 'assertTensorEq', 'Second argument should be a Tensor', x, 2 }, { 'assertTensorEq', 'First argument should be a Tensor', 2, x },
    { 'assertTensorNe', 'First argument should be a Tensor', {}, x }, { 'assertTableEq', 'First argument should be a Table', x, {} },
    { 'assertTableNe', 'Second argument should be a Table', {}, 1 },
    { 'assert', 'Unexpected arguments passed to test function', true, 'message', 1 },
    { 'assertlt', 'Unexpected arguments passed to test function', 1, 2, 'message', 'more' },
    { 'asserteq', 'Unexpected arguments passed to test function', 1, 2, 'message', 0 },
    { 'assertne', 'Unexpected arguments passed to test function', 1, 2, 'message', 0 },
    { 'assertError', 'Unexpected arguments passed to test function', fails, 'message', 0 },
    { 'assertNoError', 'Unexpected arguments passed to test function', works, 'message', 0 },
    { 'assertErrorPattern', 'Unexpected arguments passed to test function', fails, 'boom', 'message', 0 },
    { 'eq', 'Unexpected string argument; already have message', 1, 1, 'a', 'b' },
    { 'assertalmosteq', 'Unexpected number argument; already have tolerance', 1, 1, 0, 0 },
    { 'assertTensorEq', 'Unrecognized argument; should be a tolerance or message', x, x, {} },
    { 'assertTableEq', 'Unrecognized argument; should be a tolerance or message', {}, {}, 0, 'a', true },
    { 'ne', 'tolerance cannot be negative', 1, 2, -1 },
  }
  for i, case in ipairs(cases) do
    it(('are refused by %s: %s (%d)'):format(case[1], case[2], i), function()
      local tester = torch.Tester()
      local _, err = pcall(tester[case[1]], tester, unpack(case, 3, 7))
      assert.is_truthy(tostring(err):find(case[2], 1, true), tostring(err))
    end)
  end
end)

describe('adding to torch.Tester', function()
  it('takes one set-up and one tear-down, and no tables in tables', function()
    local tester = torch.Tester():add(works, '_setUp'):add(works, '_tearDown')
    for name, text in pairs { _setUp = 'Only one set%-up function allowed', _tearDown = 'Only one tear%-down function allowed' } do
      assert.error_matches(function() tester:add(works, name) end, text)
    end
    assert.error_matches(function() tester:add { inner = {} } end, 'Nested sets of tests are not supported')
    assert.error_matches(function() tester:add({ a = works }, 'name') end,
      'Name parameter is forbidden for a table of tests, since its use is ambiguous')
  end)

  it('knows suites by their flag, also those of other packages', function()
    local suite = torch.TestSuite()
    suite.one = works
    assert.equal(works, suite.__tests.one)
    assert.is_true(suite.__isTestSuite)
    local foreign = setmetatable({}, { __index = { __isTestSuite = true, __tests = { two = works } } })
    local tester = torch.Tester():add(suite):add(foreign)
    assert.same({ works, works }, { tester.tests.one, tester.tests.two })
    assert.equal(0, #tester.warnings)
  end)
end)

describe('a class made of torch.Tester', function()
  it('changes all assertions by its own _assert_sub', function()
    local place = {}
    local Own, parent = torch.class('OwnTester', 'torch.Tester', place)
    function Own:__init()
      parent.__init(self)
      self._assertTensorEqIgnoresDims = false
    end
    function Own._assert_sub(_, condition) return condition end
    local tester = place.OwnTester()
    assert.is_false(tester:assertTensorEq(torch.ones(1, 2), torch.ones(2)))
    assert.is_true(tester:eq({ torch.ones(2) }, { torch.ones(2) }))
    assert.same({}, tester.errors)
    tester:add(function() tester:assert(false) end, 'uncounted')
    local _, _, done = caught(function() assert(tester:run() == 0) end)
    assert.is_true(done)
    assert.equal(0, tester.countasserts)
  end)
end)
