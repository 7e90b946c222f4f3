-- Trees of ipc: sums over threads and processes.
local torch, ipc = require 'torch', require 'ipc'
local nodes, processes = require 'spec.ipc.nodes', require 'spec.ipc.processes'

describe('ipc.Tree', function()
  it('reduces in the order of the tree, with the same bits on all nodes', function()
    -- Sums of floats in the order of a binary tree of 5: 2 + 4 + 5, then 1 + that + 3.
    local values = { 1, 2 ^ -24, 2 ^ -24, 2 ^ -24, 2 ^ -24 }
    local function add(a, b) return torch.FloatTensor { a }:add(torch.FloatTensor { b })[1] end
    local second = add(add(values[2], values[4]), values[5])
    local expected = add(add(values[1], second), values[3])
    assert.is_false(expected == add(add(add(add(values[1], values[2]), values[3]), values[4]), values[5]))      -- the order matters
    nodes.run(5, function(tree, list)
      local v, n = tree.allReduce({ b = torch.FloatTensor { list[tree.nodeIndex] }, a = tree.nodeIndex }, function(a, b)
        if type(a) == 'number' then return a + b end
        return a:add(b)
      end)
      return v.b[1], v.a, n
    end, values, function(_, sum, indices, n)
      assert.equal(expected, sum)
      assert.equal(15, indices)
      assert.equal(5, n)
    end)
  end)

  it('scatters the values of the root', function()
    nodes.run(4, function(tree)
      local x, count = torch.IntTensor(3):fill(tree.nodeIndex), tree.nodeIndex
      local t = tree.scatter { x, count }
      return t[1] == x, x:sum(), t[2]
    end, nil, function(_, same, sum, count)
      assert.is_true(same)
      assert.equal(3, sum)
      assert.equal(1, count)
    end)
  end)

  it('lets nodes that have finished wait for the others', function()
    nodes.run(3, function(tree)
      local function add(a, b) return a + b end
      local seen = {}
      for _ = 1, 2 * tree.nodeIndex do
        local v, n = tree.allReduce(1, add)
        seen[#seen + 1] = v * 10 + n
      end
      local v, n = tree.allReduce(nil, add, function(_, i) return i - 1 end)
      return table.concat(seen, ' '), v, n
    end, nil, function(id, seen, v, n)
      assert.equal(({ '33 33', '33 33 22 22', '33 33 22 22 11 11' })[id], seen)
      assert.equal(0, v)
      assert.equal(0, n)
    end)
  end)

  it('gives numbers to nodes that have none', function()
    local server, port = ipc.server()
    local map = ipc.map(3, function(address, id)
      local tree = require 'ipc.Tree'(id == 2 and 3 or nil, 4, 2, nil, require('ipc').client(address), '127.0.0.1')
      return tree.nodeIndex + 10 * tree.allReduce(1, function(a, b) return a + b end)
    end, port)
    local tree = require 'ipc.Tree'(1, 4, 2, server, nil, '127.0.0.1', port)
    tree.allReduce(1, function(a, b) return a + b end)
    local a, b, c = map:join()
    assert.equal(43, b)
    assert.equal(86, a + c)
    assert.equal(42, math.min(a, c))
  end)

  it('says when nodes run different calls', function()
    nodes.run(2, function(tree)
      local call = tree.nodeIndex == 1 and tree.scatter or tree.allReduce
      local good, problem = pcall(call, 1, function(a, b) return a + b end)
      return good, tostring(problem)
    end, nil, function(id, good, problem)
      if id == 2 then
        assert.is_false(good)
        assert.truthy(problem:find('ipc: allReduce: ', 1, true), problem)
      end
    end)
  end)

  it('refuses other values', function()
    local tree = require 'ipc.NullTree'()
    assert.same({ 5, 1 }, { tree.allReduce(5, function() end) })
    assert.equal('x', tree.scatter 'x')
    assert.same({ 4, { b = 6 } }, tree.walkTable({ 2, { b = 3 } }, function(x) return x * 2 end))
    local order = {}
    tree.walkTable({ c = 1, a = 2, b = { 3, 4 } }, function(x) order[#order + 1] = x end)
    assert.equal('2 3 4 1', table.concat(order, ' '))
    assert.is_false((pcall(tree.walkTable, { 1, x = 2 }, function() end)))
    assert.is_false((pcall(require 'ipc.Tree', 1, 2, 2)))
  end)
end)

describe('processes of one machine', function()
  it('find each other in LocalhostTree', function()
    local outputs, left = processes(3, [[
      local tree = require 'ipc.LocalhostTree'(tonumber(arg[1]), tonumber(arg[2]))
      local x, n = tree.allReduce(torch.FloatTensor(1000):fill(tree.nodeIndex), function(a, b) return a:add(b) end)
      io.write(tree.nodeIndex, ' of ', tree.numNodes, ': ', x:min(), ' ', x:max(), ' ', n)
    ]])
    assert.same({ '1 of 3: 6 6 3', '2 of 3: 6 6 3', '3 of 3: 6 6 3' }, outputs)
    assert.equal('', left)
  end)

  it('find each other in a job of Slurm', function()
    local outputs, left = processes(3, [[
      local id = tonumber(arg[1])
      local ffi = require 'ffi'
      ffi.cdef 'int setenv(const char *, const char *, int);'
      for name, value in pairs { NTASKS = 3, PROCID = id - 1, LOCALID = id - 1, JOB_ID = 77 } do
        ffi.C.setenv('SLURM_' .. name, tostring(value), 1)
      end
      local tree = require 'ipc.SlurmTree'(os.getenv 'TMPDIR' .. '/out.slurm', 2)
      io.write(tree.nodeIndex, ' ', tree.gpu, ' ', (tree.allReduce(id, function(a, b) return a + b end)))
    ]])
    assert.same({ '1 1 6', '2 1 6', '3 2 6' }, outputs)
    assert.equal('', left)
    local good, problem = pcall(require 'ipc.SlurmTree')
    assert.is_false(good)
    assert.truthy(problem:find('ipc.SlurmTree: SLURM_NTASKS: nil, expected a whole number', 1, true), problem)
  end)

  it('find each other at addresses', function()
    local server, port = ipc.server()
    server:close()
    local outputs = processes(3, ([[
      local id = tonumber(arg[1])
      local tree = require 'ipc.StaticTree'(id, 3, '127.0.0.1', 0, '127.0.0.1', %d)
      io.write((tree.allReduce(id, function(a, b) return a + b end)))
    ]]):format(port))
    assert.same({ '6', '6', '6' }, outputs)
  end)
end)
