-- The environment of a thread: files, packages, th's globals; and forbidden calls.
local torch = require 'torch'
local threads = require 'threads'

describe('the state of a thread', function()
  -- Returns the results of a function in a new thread.
  local function there(f, ...)
    local results
    local pool = threads.Threads(1)
    pool:addjob(f, function(...) results = { n = select('#', ...), ... } end, ...)
    pool:terminate()
    return unpack(results, 1, results.n)
  end

  it('is clean, and finds what the program finds', function()
    assert.is_nil(there(function() return package.loaded.torch end))
    local path, cpath = package.path, package.cpath
    finally(function() package.path, package.cpath, package.preload.ofTheSpec = path, cpath, nil end)
    local folder = os.tmpname()
    os.remove(folder)
    os.execute('mkdir ' .. folder)
    local file = assert(io.open(folder .. '/onlyhere.lua', 'w'))
    file:write 'return { where = "a file of the spec" }'
    file:close()
    package.path = folder .. '/?.lua;' .. path
    local n = 5
    package.preload.ofTheSpec = function() return { n = n } end
    assert.equal('a file of the spec', there(function() return require('onlyhere').where end))
    assert.equal(5, there(function() return require('ofTheSpec').n end))
    os.execute('rm -r ' .. folder)
  end)

  it('asks loaders that the program added', function()
    local function loader(name)
      if name == 'madeup' then return function() return 'made up' end end
    end
    table.insert(package.loaders, 2, loader)
    finally(function() table.remove(package.loaders, 2) end)
    table.insert(package.loaders, function(name) return name == 'last' and function() return 'last' end or nil end)
    assert.equal('last', there(function() return require 'last' end))
    table.remove(package.loaders)
  end)

  it('has th\'s globals, which are read when they are used', function()
    assert.same({ 6, true }, { there(function() return torch.range(1, 3):sum(), paths.cwd() ~= nil end) })      -- luacheck: ignore 113
    assert.equal('function', there(function() return type(sys.clock) end))      -- luacheck: ignore 113
    assert.is_nil(there(function() return undefinedHere end))      -- luacheck: ignore 113
  end)

  it('runs kernels by one thread, unless it asks for more', function()
    local before = torch.getnumthreads()
    torch.setnumthreads(2)
    assert.same({ 1, 2 }, { there(function()
      local own = torch.getnumthreads()
      torch.setnumthreads(2)
      return own, torch.getnumthreads()
    end) })
    assert.equal(2, torch.getnumthreads())
    torch.setnumthreads(before)
  end)

  it('knows its number', function()
    local pool, results = threads.Threads(3, function(id) return __threadid == id and id end)
    pool:terminate()
    assert.same({ { 1 }, { 2 }, { 3 } }, results)
  end)

  it('may have pools of its own', function()
    local sum = there(function()
      local sum = 0
      local inner = require('threads').Threads(2)
      for i = 1, 10 do inner:addjob(function() return i + 1 end, function(j) sum = sum + j end) end
      inner:synchronize()
      inner:addjob(function(n)
        local innermost, total = require('threads').Threads(1), 0
        for i = 1, n do innermost:addjob(function() return i end, function(j) total = total + j end) end
        innermost:terminate()
        return total
      end, function(total) sum = sum + total end, 4)
      inner:terminate()
      return sum
    end)
    assert.equal(65 + 10, sum)
  end)

  it('gives each thread random numbers of its own', function()
    local pool, results = threads.Threads(2, function() require 'torch' end, function(id)
      local own = torch.random(2 ^ 31)
      torch.manualSeed(7 + id)
      return own, torch.random(1000)
    end)
    pool:terminate()
    assert.is_not.equal(results[1][1], results[2][1])
    torch.manualSeed(8)
    assert.equal(torch.random(1000), results[1][2])
  end)
end)

describe('what goes wrong in a thread', function()
  local pool
  before_each(function() pool = threads.Threads(1) end)
  after_each(function()
    local sum
    pool:addjob(function(x) return x + 1 end, function(y) sum = y end, 1)      -- it continues
    pool:terminate()
    assert.equal(2, sum)
  end)

  local function failure(f, ...)
    pool:addjob(f, nil, ...)
    local good, message = pcall(pool.synchronize, pool)
    assert.is_false(good)
    return message
  end

  it('is an error of the job', function()
    assert.matches('%[thread 1 callback%] .*environment_spec.lua:%d+: attempt to index local', failure(function(t) return t.x end))
    assert.matches('os.exit: called in a thread', failure(function() os.exit(3) end))
    assert.matches('error in error handling', failure(function() error(setmetatable({}, { __tostring = function() error 'no' end })) end))
    assert.matches('told so', failure(function() error(setmetatable({}, { __tostring = function() return 'told so' end })) end))
    assert.matches('an error of type table', failure(function() error {} end))
    assert.matches('an error of type nil', failure(function() error(nil) end))
    assert.matches('an error of type boolean', failure(function() error(false) end))
    assert.matches("module 'nowhere.to.be.found' not found", failure(function() require 'nowhere.to.be.found' end))
    assert.matches('mm: .*expected', failure(function() return torch.mm(torch.zeros(2, 3), torch.zeros(2, 3)) end))
  end)

  it('may be a stack that overflows', function()
    local function deep(n) return 1 + deep(n + 1) end
    assert.matches('stack overflow', failure(function() return deep(1) end))
    assert.matches('too many results', failure(function() return unpack({}, 1, 1e7) end))
    local n
    pool:addjob(function() return unpack({}, 1, 7000) end, function(...) n = select('#', ...) end)
    pool:synchronize()
    assert.equal(7000, n)
  end)

  it('may be a finaliser', function()
    local message = failure(function()
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = function() error 'of the finaliser' end
      proxy = nil      -- luacheck: ignore 311
      collectgarbage()
      collectgarbage()
      error 'of the job'
    end)
    assert.matches('of the', message)
  end)
end)
