-- Data that a program writes into exposed memory never reaches a finaliser, and data that it writes to a pipe is not accepted as a message.
local program = require 'spec.support.program'

describe('A program that writes into', function()
  it('what sharedserialize.save gave ends as it should', function()
    assert.equal('refused 3', program.evaluate [[
      local shared = require 'threads.sharedserialize'
      local kept = shared.save { torch.ones(3) }
      for _ = 1, 100 do
        local s = shared.save { torch.ones(3), shared.save { torch.ones(2) } }
        s:fill(65)
        if pcall(shared.load, s) then io.write 'taken ' end
        s = nil
        collectgarbage()
      end
      local s, t = shared.save { 1 }, shared.save { 2 }
      s:copy(t)      -- both then represent one value; the other is freed with its storage
      s, t = nil, nil
      collectgarbage()
      collectgarbage()
      io.write('refused ', shared.load(kept)[1]:sum())]])
  end)

  it('the sockets of a worker process gets one sentence for each job, and goes on', function()
    local output = program.evaluate [[
      local pool = torch.processes(1)
      local said = {}
      for _, text in ipairs { 'x', ('junk'):rep(100), ('\255'):rep(3000) } do
        pool:addjob(function(garbage)
          local ffi = require 'ffi'
          ffi.cdef 'int64_t mt_spec_write(int fd, const void *data, size_t size) asm("write");'
          for fd = 3, 60 do
            local link = io.popen('readlink /proc/$PPID/fd/' .. fd):read '*a'
            if link:find '^socket' then ffi.C.mt_spec_write(fd, garbage, #garbage) end
          end
        end, nil, text)
        local good, problem = pcall(pool.synchronize, pool)
        said[#said + 1] = good and 'done' or problem:match 'torch%.processes: message: [^\n]*' or problem
      end
      local sum
      pool:addjob(function(x) return x:sum() end, function(s) sum = s end, torch.ones(40000))
      pool:synchronize()
      pool:terminate()
      for _, line in ipairs(said) do io.write(line, '\n') end
      io.write(sum)]]
    local sentence = 'torch.processes: message: foreign data on the pipe between processes, which is for torch.processes alone\n'
    assert.equal(sentence:rep(3) .. '40000', output)
  end)
end)
