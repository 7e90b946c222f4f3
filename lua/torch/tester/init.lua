--- torch.Tester: runs test functions that check by its assertions, and reports.
-- @classmod torch.Tester
-- @usage local tester = torch.Tester()
-- local suite = torch.TestSuite()
-- function suite.sum() tester:eq(torch.ones(3):sum(), 3) end
-- tester:add(suite):run()
local class = require 'torch.class'
local suites = require 'torch.tester.suite'

local WIDTH = 80      -- columns of the report
local here = debug.getinfo(1, 'S').source:match '^(.*)init%.lua$'

local function plural(n, noun) return ('%d %s%s'):format(n, noun, n == 1 and '' or 's') end

-- Where a test stands, without the frames of the tester and of what runs it.
local function trace(message)
  local lines, ours = {}, here and here:gsub('^@', '')
  for line in debug.traceback('', 2):gmatch '[^\n]+' do
    if line:find('xpcall', 1, true) then break end
    local own = ours and line:find(ours, 1, true) or line:find('torch/tester/', 1, true)
    if not own and line ~= 'stack traceback:' then lines[#lines + 1] = line end
  end
  return tostring(message) .. '\nstack traceback:\n' .. table.concat(lines, '\n')
end

-- An assertion that ends a test at once carries this mark.
local Failure = { __tostring = function(self) return self.message end }

--- Puts class torch.Tester and the function torch.TestSuite into torch.
return function(torch)
  torch.TestSuite = suites.new

  local Tester = class.class('torch.Tester', torch)

  function Tester:__init()
    self.tests, self.errors, self.warnings = {}, {}, {}
    self.countasserts = 0
    self._names, self._disabled, self._tables = {}, {}, 0
    self._failed, self._broken, self._current = {}, {}, nil
    self._earlyAbort, self._rethrow, self._summaryOnly = false, false, false
  end

  require 'torch.tester.asserts'(Tester)

  --- Stops at the first test that fails.
  function Tester:setEarlyAbort(flag) self._earlyAbort = flag end

  --- Failures and errors are raised at once.
  function Tester:setRethrowErrors(flag) self._rethrow = flag end

  --- The report tells which tests failed, not why.
  function Tester:setSummaryOnly(flag) self._summaryOnly = flag end

  local function addFailure(self, message)
    table.insert(self.errors, (self._current or '<unknown>') .. '\n' .. message)
    if self._current then self._failed[self._current] = true end
  end

  -- Counts an assertion.
  function Tester:_record(held, message)
    self.countasserts = self.countasserts + 1
    if held then return self:_success(message) end
    return self:_failure(message)
  end

  --- What an assertion that holds does and returns; programs that test testers replace it.
  function Tester._success() return true end

  --- What one that does not hold does and returns: false and the message.
  function Tester:_failure(message)
    local text = trace(message)
    addFailure(self, text)
    if self._rethrow then error(setmetatable({ message = text }, Failure), 0) end
    return false, message
  end

  function Tester:_warn(message) table.insert(self.warnings, (self._current or '<unknown>') .. '\n' .. trace(message)) end

  local function addTest(self, name, test)
    if type(test) == 'table' then error('Nested tables of tests are not supported', 4) end
    if type(test) ~= 'function' then error('Only functions are supported as members of a TestSuite', 4) end
    if name == '_setUp' or name == '_tearDown' then
      self[name] = test
      return
    end
    if self.tests[name] then error(('Test with name %s already exists!'):format(tostring(name)), 4) end
    self.tests[name] = test
    table.insert(self._names, name)
  end

  --- Adds a test, or all of a suite. Functions named _setUp and _tearDown are called around every test with its name.
  -- @tparam function|table test a function, a torch.TestSuite, or a plain table of functions
  -- @string[opt='unknown'] name of a function
  -- @treturn torch.Tester self
  -- @raise if a name is taken
  function Tester:add(test, name)
    if type(test) == 'function' then
      addTest(self, name or 'unknown', test)
    elseif type(test) == 'table' then
      if name ~= nil then error('add: name: a table of tests came with a name, which only a function takes', 2) end
      if not suites.is(test) then self._tables = self._tables + 1 end
      local names, tests = suites.tests(test)
      for _, testName in ipairs(names) do addTest(self, testName, tests[testName]) end
    else
      error(('add: test: %s came, a function or a torch.TestSuite was expected'):format(class.type(test)), 2)
    end
    return self
  end

  local function each(names, visit)
    if type(names) ~= 'table' then names = { names } end
    for _, name in ipairs(names) do visit(name) end
  end

  --- Leaves tests out of later runs.
  -- @tparam string|{string,...} names
  -- @treturn torch.Tester self
  -- @raise if there is no such test
  function Tester:disable(names)
    each(names, function(name)
      if not self.tests[name] then error(("Couldn't find test '%s'"):format(tostring(name)), 4) end
      self._disabled[name] = true
    end)
    return self
  end

  -- The names that run has to go through, in order.
  local function chosen(self, wanted)
    if wanted == nil then return self._names end
    local set = {}
    each(wanted, function(name)
      local found = self.tests[name] ~= nil
      if found then
        set[name] = true
      else
        for _, other in ipairs(self._names) do
          if tostring(other):find(name) then set[other], found = true, true end
        end
      end
      if not found then error(("Couldn't find test '%s'"):format(tostring(name)), 5) end
    end)
    local names = {}
    for _, name in ipairs(self._names) do
      if set[name] then table.insert(names, name) end
    end
    return names
  end

  -- Runs one test; true, or false and what was raised.
  local function attempt(self, name)
    local function test()
      if self._setUp then self._setUp(name) end
      self.tests[name]()
    end
    local function handler(err) return getmetatable(err) == Failure and err or { trace(err), err } end
    local good, err = xpcall(test, handler)
    if self._tearDown then
      local clean, problem = xpcall(function() self._tearDown(name) end, handler)
      if good then good, err = clean, problem end
    end
    return good, err
  end

  local function outcome(self, name)
    if self._disabled[name] then return 'SKIP' end
    self._current = name
    local good, err = attempt(self, name)
    if not good and getmetatable(err) ~= Failure then
      self._broken[name] = true
      table.insert(self.errors, ('%s\nFunction call failed\n%s'):format(name, err[1]))
    end
    self._current = nil
    if not good and self._rethrow then error(getmetatable(err) == Failure and err.message or err[2], 0) end
    return self._broken[name] and 'ERROR' or self._failed[name] and 'FAIL' or 'PASS'
  end

  local function report(self, ran, disabled)
    local failures, errors = 0, 0
    for _ in pairs(self._broken) do errors = errors + 1 end
    for name in pairs(self._failed) do
      if not self._broken[name] then failures = failures + 1 end
    end
    io.write(('Completed %s in %s with %s and %s'):format(plural(self.countasserts, 'assert'), plural(ran, 'test'),
      plural(failures, 'failure'), plural(errors, 'error')))
    if disabled > 0 then io.write(', ', plural(disabled, 'disabled test')) end
    if #self.warnings > 0 then io.write(', ', plural(#self.warnings, 'warning')) end
    io.write('\n')
    if self._summaryOnly then return end
    local rule = ('-'):rep(WIDTH)
    for _, message in ipairs(self.warnings) do io.write(rule, '\nWARNING: ', message, '\n') end
    for _, message in ipairs(self.errors) do io.write(rule, '\n', message, '\n') end
    if #self.errors + #self.warnings > 0 then io.write(rule, '\n') end
  end

  --- Runs tests: a line each with PASS, FAIL (an assertion did not hold), ERROR (something was raised) or SKIP, then a summary.
  -- @tparam[opt] string|{string,...} wanted names, or Lua patterns of names; all tests by default
  -- @treturn int 0
  -- @raise after the report, if any test failed; when there is no test of a wanted name
  function Tester:run(wanted)
    local names = chosen(self, wanted)
    self.errors, self.warnings, self.countasserts, self._failed, self._broken = {}, {}, 0, {}, {}
    if self._tables > 0 then
      table.insert(self.warnings, 'a plain table of tests was added; a torch.TestSuite refuses names that are taken')
    end
    io.write('Running ', plural(#names, 'test'), '\n')
    local ran, disabled = 0, 0
    for i, name in ipairs(names) do
      local state = outcome(self, name)
      if state == 'SKIP' then disabled = disabled + 1 else ran = ran + 1 end
      local head, tail = ('%d/%d %s '):format(i, #names, name), (' [%s]'):format(state)
      io.write(head, ('.'):rep(math.max(3, WIDTH - #head - #tail)), tail, '\n')
      io.flush()
      if self._earlyAbort and (state == 'FAIL' or state == 'ERROR') then
        io.write('Aborting on the first failure; not all tests have been executed\n')
        break
      end
    end
    report(self, ran, disabled)
    if #self.errors > 0 then error('An error was found while running tests!', 2) end
    return 0
  end

  return Tester
end
