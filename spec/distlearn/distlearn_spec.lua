-- The algorithms of distlearn on several nodes: each step against the algorithm written on plain lists of nodes, with sums in the order of
-- the tree; and what they train against one process.
local torch, ipc = require 'torch', require 'ipc'
local nodes, processes = require 'spec.ipc.nodes', require 'spec.ipc.processes'

-- A linear regression, whose gradient at w for the rows of a node is 2 / m X' (X w - y).
local width, rows = 3, 16
local truth = torch.DoubleTensor { 1, -2, 0.5 }

local function problem(n)
  local data = {}
  for i = 1, n do
    local x = torch.randn(rows, width)
    data[i] = { x = x, y = x * truth }
  end
  return data
end

-- The gradient, on which all threads agree to the bit: Lua's numbers, one after the other.
local function gradient(set, w)
  local g = torch.zeros(w:size(1))
  for r = 1, set.x:size(1) do
    local error = -set.y[r]
    for k = 1, w:size(1) do error = error + set.x[r][k] * w[k] end
    for k = 1, w:size(1) do g[k] = g[k] + 2 / set.x:size(1) * error * set.x[r][k] end
  end
  return g
end

-- The sum over nodes in the order of a binary tree: a node adds its children's sums by ascending number.
local function treeSum(list, i)
  i = i or 1
  local sum = list[i]:clone()
  for child = 2 * i, 2 * i + 1 do
    if list[child] then sum:add(treeSum(list, child)) end
  end
  return sum
end

local function difference(a, b) return (a - b):abs():max() end

describe('distlearn.AllReduceSGD', function()
  local function train(tree, argument)
    local sgd = require 'distlearn.AllReduceSGD'(tree)
    local set, w = argument.data[tree.nodeIndex], torch.DoubleTensor(3):fill(tree.nodeIndex)
    sgd.synchronizeParameters { w }
    local start = w[1]
    for _ = 1, argument.steps[tree.nodeIndex] do
      local grads = { w = argument.gradient(set, w) }
      sgd.sumAndNormalizeGradients(grads)
      w:add(-0.1, grads.w)
    end
    local before = w:clone()
    sgd.synchronizeParameters { w }
    return start, before, w
  end

  it('makes the steps of one process on all data', function()
    local n, count = 4, 60
    local data = problem(n)
    local w = torch.ones(width)
    for _ = 1, count do
      local list = {}
      for i = 1, n do list[i] = gradient(data[i], w) end
      w:add(-0.1, treeSum(list):div(n))
    end
    nodes.run(n, train, { data = data, gradient = gradient, steps = { count, count, count, count } }, function(_, start, before, after)
      assert.equal(1, start)
      assert.equal(0, difference(before, w))
      assert.equal(0, difference(after, w))
    end)
    assert.is_true(difference(w, truth) < 1e-3)
  end)

  it('lets nodes make different numbers of steps', function()
    local n, steps = 3, { 3, 5, 4 }
    local data = problem(n)
    local each = { torch.ones(width), torch.ones(width), torch.ones(width) }
    for step = 1, 5 do
      local list, active = {}, 0
      for i = 1, n do
        local isActive = step <= steps[i]
        active = active + (isActive and 1 or 0)
        list[i] = isActive and gradient(data[i], each[i]) or torch.zeros(width)
      end
      local mean = treeSum(list)
      if active > 1 then mean:div(active) end
      for i = 1, n do
        if step <= steps[i] then each[i]:add(-0.1, mean) end
      end
    end
    nodes.run(n, train, { data = data, gradient = gradient, steps = steps }, function(id, _, before, after)
      assert.equal(0, difference(before, each[id]))
      assert.equal(0, difference(after, each[2]))
    end)
  end)

  it('trains a network in processes as one process does', function()
    local code = [[
      local nn = require 'nn'
      local id, n = tonumber(arg[1]), tonumber(arg[2])
      local tree = require 'ipc.LocalhostTree'(id, n)
      local sgd = require 'distlearn.AllReduceSGD'(tree)
      torch.manualSeed(id)
      local net = nn.Sequential():add(nn.Linear(2, 6)):add(nn.Tanh()):add(nn.Linear(6, 1))
      local params, grads = net:getParameters()
      params:copy(torch.linspace(-id, 1, params:size(1)))
      sgd.synchronizeParameters(params)
      local criterion = nn.MSECriterion()
      torch.manualSeed(7)
      local x = torch.randn(24, 2)
      local y = x:clone():cmul(x):sum(2)
      local loss = criterion:forward(net:forward(x), y)
      local part = 24 / n
      for _ = 1, 500 do
        local mine, theirs = x:narrow(1, (id - 1) * part + 1, part), y:narrow(1, (id - 1) * part + 1, part)
        net:zeroGradParameters()
        net:backward(mine, criterion:backward(net:forward(mine), theirs))
        sgd.sumAndNormalizeGradients { grads }
        params:add(-0.1, grads)
      end
      io.write(('%.9f %.9f'):format(criterion:forward(net:forward(x), y) / loss, params:sum()))
    ]]
    local alone, some = processes(1, code), processes(3, code)
    for id = 1, 3 do assert.equal(alone[1], some[id]) end
    assert.is_true(tonumber(alone[1]:match '^%S+') < 0.2, alone[1])
  end)

  it('runs on one node', function()
    local sgd = require('distlearn').AllReduceSGD(require 'ipc.NullTree'())
    local grads = { torch.ones(2), { torch.ones(1) } }
    sgd.synchronizeParameters(grads)
    sgd.sumAndNormalizeGradients(grads)
    sgd.sumGradients(grads)
    sgd.synchronizeParameters(grads)
    assert.equal(2, grads[1]:sum())
    assert.is_false((pcall(sgd.sumGradients, { 'x' })))
  end)
end)

describe('distlearn.AllReduceEA', function()
  local alpha, tau = 0.2, 3

  local function train(tree, argument)
    local ea = require 'distlearn.AllReduceEA'(tree, argument.tau, argument.alpha)
    local set, w = argument.data[tree.nodeIndex], torch.DoubleTensor(3):fill(tree.nodeIndex)
    ea.synchronizeParameters { w }
    for _ = 1, argument.steps[tree.nodeIndex] do
      w:add(-0.05, argument.gradient(set, w))
      ea.averageParameters { w }
    end
    local before = w:clone()
    ea.synchronizeCenter { w }
    local afterCenter = w:clone()
    ea.synchronizeParameters { w }
    return before, afterCenter, w
  end

  -- The parameters of all nodes, and the center.
  local function reference(data, steps)
    local n = #data
    local each, center = {}, torch.ones(width)
    for i = 1, n do each[i] = torch.ones(width) end
    local most = math.max(unpack(steps))
    for step = 1, most do
      local deltas = {}
      for i = 1, n do
        deltas[i] = torch.zeros(width)
        if step <= steps[i] then
          each[i]:add(-0.05, gradient(data[i], each[i]))
          if step % tau == 0 then
            deltas[i] = (each[i] - center):mul(alpha)
            each[i]:add(-1, deltas[i])
          end
        end
      end
      if step % tau == 0 then center:add(treeSum(deltas)) end
    end
    return each, center
  end

  it('pulls nodes and center together', function()
    for _, steps in ipairs { { 150, 150, 150 }, { 90, 96, 93 } } do
      local data = problem(3)
      local each, center = reference(data, steps)
      nodes.run(3, train, { data = data, gradient = gradient, steps = steps, alpha = alpha, tau = tau }, function(id, before, same, after)
        assert.equal(0, difference(before, each[id]))
        assert.equal(0, difference(same, each[id]))
        assert.equal(0, difference(after, each[1]))
      end)
      assert.is_true(difference(center, truth) < 0.1)
    end
  end)

  it('keeps one center', function()
    -- The center shows in the next averaging: with alpha = 1 a node becomes the center.
    nodes.run(3, function(tree)
      local ea = require 'distlearn.AllReduceEA'(tree, 1, 1)
      local w = torch.DoubleTensor { 5 }
      ea.synchronizeParameters(w)
      for _ = 1, tree.nodeIndex do
        w:add(1)
        ea.averageParameters(w)
      end
      ea.synchronizeCenter(w)
      w:add(1)
      ea.averageParameters(w)
      return w[1]
    end, nil, function(_, w)
      -- The center is 5, then 5 + 3 (6 - 5), then 8 + 2 (6 - 8), then 4 + (9 - 4).
      assert.equal(9, w)
    end)
  end)

  it('checks its arguments', function()
    local tree, new = require 'ipc.NullTree'(), require 'distlearn.AllReduceEA'
    assert.is_false((pcall(new, tree, 0, 0.5)))
    assert.is_false((pcall(new, tree, 1, 2)))
    local ea = new(tree, 1, 0.5)
    ea.averageParameters { torch.ones(1) }
    assert.is_false((pcall(ea.averageParameters, { torch.ones(1), torch.ones(1) })))
  end)
end)

-- Runs a server here, and workers in threads, which exchange one after the other: `turns` are channels by which each gives way to the next.
local function withWorkers(name, count, alpha, data, steps, isOrdered)
  local host = '127.0.0.1'
  local broadcast, port = ipc.server(host)
  local servers, ports, turns = {}, {}, {}
  for i = 1, count do
    servers[i], ports[i] = ipc.server(host)
    turns[i] = isOrdered and ipc.channel()
  end
  local map = ipc.map(count, function(algorithm, n, rate, sets, last, slope, address, addresses, channels, id)
    local remote = require 'ipc'
    local toAll = remote.client(address)
    local client = remote.client(addresses[id])
    local ea = require('distlearn.' .. algorithm)(nil, nil, client, toAll, n, id, 2, rate)
    local w = torch.zeros(3)
    ea.initClient { w }
    for step = 1, last do
      w:add(-0.05, slope(sets[id], w))
      local mine = step % 2 == 0 and channels[id]
      if mine then mine:read() end
      ea.syncClient { w }
      if mine then channels[id % n + 1]:write(true) end
    end
    toAll:close()
    return w
  end, name, count, alpha, data, steps, gradient, port, ports, turns)
  broadcast:clients(count, function() end)
  local center = torch.ones(width)
  local ea = require('distlearn.' .. name)(servers, broadcast, nil, nil, count, 0, 2, alpha)
  ea.initServer { center }
  if isOrdered then turns[1]:write(true) end
  local served = 0
  while ea.syncServer { center } do served = served + 1 end
  return center, served, { map:join() }
end

for name, rule in pairs {
  AsyncEA = function(w, center, _, alpha)
    local delta = (w - center):mul(alpha)
    w:add(-1, delta)
    center:add(delta)
  end,
  Downpour = function(w, center, got)
    center:add(w - got)
    w:copy(center)
    got:copy(center)
  end,
} do
  describe('distlearn.' .. name, function()
    it('is its rule, worker after worker', function()
      local count, steps, alpha = 3, 8, 0.3
      local data = problem(count)
      local center, each, got = torch.ones(width), {}, {}
      for i = 1, count do each[i], got[i] = torch.ones(width), torch.ones(width) end
      for step = 1, steps do
        for i = 1, count do
          each[i]:add(-0.05, gradient(data[i], each[i]))
          if step % 2 == 0 then rule(each[i], center, got[i], alpha) end
        end
      end
      local found, served, workers = withWorkers(name, count, alpha, data, steps, true)
      assert.equal(count * steps / 2, served)
      assert.is_true(difference(found, center) < 1e-14)
      for i = 1, count do assert.is_true(difference(workers[i], each[i]) < 1e-14) end
    end)

    it('trains in any order of the workers', function()
      local center, served = withWorkers(name, 2, 0.3, problem(2), 200)
      assert.equal(200, served)
      assert.is_true(difference(center, truth) < 0.01)
    end)
  end)
end

describe('distlearn.AsyncEA', function()
  it('shows the center to a process for tests', function()
    local broadcast, port = ipc.server()
    local server, itsPort = ipc.server()
    local turn, seen = ipc.channel(), ipc.channel()
    local map = ipc.map(2, function(address, of, turns, found, id)
      local remote = require 'ipc'
      local all = remote.client(address)
      local mine = id == 1 and remote.client(of) or nil
      local ea, w = require 'distlearn.AsyncEA'(nil, nil, mine, all, 1, id == 1 and 1 or nil, 1, 0.5), torch.zeros(1)
      if id == 1 then      -- the worker
        ea.initClient { w }
        for _ = 1, 2 do
          turns:read()
          w:add(8)
          ea.syncClient { w }
          found:write(false)
        end
        turns:read()
        all:close()
        return
      end
      ea.initTester { w }
      local centers = { w[1] }
      for _ = 1, 2 do
        turns:write(true)
        found:read()
        assert(ea.testNet { w })
        centers[#centers + 1] = w[1]
      end
      turns:write(true)
      while ea.testNet { w } do end
      return table.concat(centers, ' ')
    end, port, itsPort, turn, seen)
    broadcast:clients(2, function() end)
    local center = torch.ones(1)
    local ea = require 'distlearn.AsyncEA'({ server }, broadcast, nil, nil, 1, 0, 1, 0.5)
    ea.initServer { center }
    local served = 0
    while ea.syncServer { center } do served = served + 1 end
    -- The worker has 1 + 8, gives 0.5 (9 - 1); then 5 + 8, gives 0.5 (13 - 5).
    assert.equal('1 5 9', (map:join()))
    assert.equal(2, served)
    assert.equal(9, center[1])
  end)

  it('needs the connections of a role', function()
    local new = require 'distlearn.AsyncEA'
    local function fails(expected, f, ...)
      local good, told = pcall(f, ...)
      assert.is_false(good)
      assert.truthy(tostring(told):find('distlearn.AsyncEA: ' .. expected, 1, true), tostring(told))
    end
    fails('numNodes: nil, expected', new)
    fails('alpha: nil, expected a number from 0 to 1', new, nil, nil, nil, nil, 1, 1, 1)
    fails('nodeIndex: 7, expected', new, nil, nil, nil, nil, 1, 7, 1, 0.5)
    local none, params = new(nil, nil, nil, nil, 1, nil, 1, 0.5), { torch.ones(1) }
    fails('initServer: serverBroadcast: nil, expected ipc.server', none.initServer, params)
    fails('syncServer: server: nil, expected a list of ipc.servers', none.syncServer, params)
    fails('initClient: clientBroadcast: nil, expected ipc.client', none.initClient, params)
    fails('syncClient: client: nil, expected ipc.client', none.syncClient, params)
    fails('testNet: clientBroadcast: nil, expected ipc.client', none.testNet, params)
  end)
end)
