-- Names that torch, nn, optim, autograd, paths, sys and xlua load on demand: values of programs stay, and unused files are not loaded.
local run = require('spec.support.program').evaluate

describe('a package that reads its parts on demand', function()
  it('keeps what a program has put there, whatever else the same file has', function()
    assert.equal('mine function', run "torch.load = 'mine' io.write(type(torch.save) == 'function' and torch.load, ' ', type(torch.save))")
    assert.equal('mine table', run "require 'optim' optim.Adam = 'mine' local sgd = optim.SGD io.write(optim.Adam, ' ', type(sgd))")
    assert.equal('mine 1', run "xlua.unpack = 'mine' io.write(xlua.unpack, ' ', select(2, xlua.usage('f', 'd'):gsub('d$', '')))")
    assert.equal('mine 0.5', run [[
      require 'torch.tensor'.methods.cpow = function() return 'mine' end
      io.write(torch.Tensor():cpow(2), ' ', torch.Tensor { 2 }:clip(0, 0.5)[1])
    ]])
  end)

  it('names the package that a part needs and that is not installed', function()
    assert.equal('save: the package absent, which brings it, is not installed mine table', run [[
      local t = { load = 'mine' }
      require 'torch.start.lazy_loader'(t, 'absent: save load\n check = torch.check')
      io.write(select(2, pcall(t.save)), ' ', t.load, ' ', type(t.check))
    ]])
  end)

  it('reads nothing for a script that prints a string and a number', function()
    local output = run "print('epoch', 1) collectgarbage() collectgarbage() io.write(collectgarbage 'count')"
    local printed, kilobytes = output:match '^(.*\n)(.*)$'
    assert.equal('epoch\t1\t\n', printed)
    assert.is_true(tonumber(kilobytes) < 252, kilobytes .. ' KB are in the heap')
  end)

  it('reads the files for classes with the first tensor', function()
    assert.equal('nil nil nil torch.FloatTensor table table', run [[
      local loaded = package.loaded
      io.write(type(loaded['torch.index.element']), ' ', type(loaded['torch.tensor.classes']), ' ',
        type(loaded['torch.class.definition']), ' ')
      io.write(torch.type(torch.FloatTensor(2)), ' ', type(loaded['torch.index.element']), ' ', type(loaded['torch.tensor.classes']))
    ]])
  end)

  it('reads no derivatives of ops that a net has not', function()
    assert.equal('table nil', run [[
      require 'nn'
      local net = nn.Sequential():add(nn.Linear(2, 3)):add(nn.Tanh()):add(nn.LogSoftMax())
      net:backward(torch.ones(1, 2), net:forward(torch.ones(1, 2)))
      local loaded = package.loaded
      io.write(type(loaded['autograd.rules'].logsoftmax), ' ', type(loaded['autograd.rules.linalg']))
    ]])
  end)
end)

describe('what is read late', function()
  it('works beside declarations of a program with other types for the same functions', function()
    assert.equal('true true 1', run [[
      require 'ffi'.cdef [=[
        struct moment { long whole, fraction; };
        int clock_gettime(int clock, struct moment *time), nanosleep(const struct moment *wanted, struct moment *left);
        int getpid(struct moment *), mkdir(struct moment *), open(struct moment *), ioctl(struct moment *), statx(struct moment *);
        int64_t write(struct moment *), read(struct moment *), pread(struct moment *), pwrite(struct moment *); int rename(struct moment *);
      ]=]
      local C = require 'ffi'.C
      local _ = C.clock_gettime, C.nanosleep, C.getpid, C.mkdir, C.open, C.write, C.pwrite, C.pread, C.read, C.rename, C.ioctl, C.statx
      sys.sleep(1e-6)
      local name = paths.tmpname()
      torch.save(name, { 1 })
      io.write(tostring(sys.clock() > 1), ' ', tostring(paths.filep(name)), ' ', torch.load(name)[1])
    ]])
  end)
end)
