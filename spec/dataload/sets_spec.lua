-- dataload's data sets, from small files in their formats, and its helpers.
local torch = require 'torch'
local paths = require 'paths'
local files = require 'spec.support.files'
local program = require 'spec.support.program'
local dl = require 'dataload'
local idx = require('data').idx

local folder
before_each(function()
  folder = paths.tmpname()
  os.remove(folder)
  paths.mkdir(folder)
end)
after_each(function() paths.rmall(folder, 'yes') end)

local function write(name, text) files.write(folder .. '/' .. name, text) end

describe('a data set of dataload', function()
  it('MNIST', function()
    for part, n in pairs { train = 12, t10k = 4 } do
      idx.save(('%s/%s-images-idx3-ubyte.gz'):format(folder, part), torch.range(1, n * 784):mul(255 / (n * 784)):byte():view(n, 28, 28))
      idx.save(('%s/%s-labels-idx1-ubyte'):format(folder, part), torch.range(0, n - 1):fmod(10):byte())
    end
    local train, valid, test = dl.loadMNIST(folder)
    assert.same({ 10, 2, 4 }, { train:size(), valid:size(), test:size() })
    assert.same({ 1, 28, 28 }, train:isize())
    assert.is_true(train.inputs:max() <= 1 and test.inputs:max() == 1)
    assert.same({ 1, 2 }, valid.targets:totable())
    assert.same({ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, train.classes)
    assert.equal(255, select(3, dl.loadMNIST(folder, 0.5, false)).inputs:max())
    assert.equal(3, select(3, dl.loadMNIST(folder, 0.5, { -3, 3 })).inputs:max())
    assert.error_matches(function() dl.loadMNIST '/no/such' end,
      'dataload.loadMNIST: .*idx%d%-ubyte.gz is not in /no/such; put it there, or give srcurl, from where it is fetched')
  end)

  it('CIFAR-10', function()
    for i = 1, 5 do write(('data_batch_%d.bin'):format(i), string.char(i) .. ('\255'):rep(3072) .. '\9' .. ('\0'):rep(3072)) end
    write('test_batch.bin', '\0' .. ('\51'):rep(3072))
    local train, valid, test = dl.loadCIFAR10(folder, 0.2)
    assert.same({ 8, 2, 1 }, { train:size(), valid:size(), test:size() })
    assert.equal('torch.FloatTensor', train.targets:type())
    assert.same({ 2, 10, 3, 10, 4, 10, 5, 10 }, train.targets:totable())
    assert.is_true(math.abs(test.inputs:min() - 0.2) < 1e-6)
    assert.equal('truck', train.classes[10])
  end)

  it('the Penn Treebank', function()
    write('train.txt', 'the cat the dog\nthe end\n')
    write('valid.txt', 'the dog\nthe dog\n')
    write('test.txt', 'cat cat\ncat cat\n')
    local train, valid = dl.loadPTB({ 2, 1, 1 }, folder)
    assert.same({ ['<eos>'] = 1, cat = 2, dog = 3, ['end'] = 4, the = 5 }, train.vocab)
    assert.same({ '<eos>', 'cat', 'dog', 'end', 'the' }, valid.ivocab)
    assert.equal(3, train.wordfreq.the)
    assert.equal('torch.IntTensor', train.data:type())
    assert.same({ { 5, 1 }, { 2, 5 }, { 5, 4 }, { 3, 1 } }, train.data:totable())
    write('test.txt', 'bird bird\n')
    assert.error_matches(function() dl.loadPTB(1, folder) end, 'dataload.text2tensor: token 1: "bird" is not in the vocabulary')
  end)

  it('the Billion Words', function()
    local data = torch.IntTensor { { 1, 5 }, { 1, 6 }, { 3, 7 }, { 3, 8 }, { 3, 9 } }
    for _, name in ipairs { 'train_data', 'valid_data', 'test_data' } do torch.save(('%s/%s.th7'):format(folder, name), data) end
    torch.save(folder .. '/word_map.th7', { 'a', 'b' })
    torch.save(folder .. '/word_freq.th7', torch.IntTensor { 3, 4 })
    local train = dl.loadGBW(1, nil, folder, nil, false)
    assert.same({ { 0 }, { 5 }, { 0 }, { 7 }, { 8 } }, train:sub(1, 5):totable())
    assert.same({ a = 1, b = 2 }, train.vocab)
  end)

  it('Sentiment140', function()
    local rows = {}
    for i = 1, 8 do rows[i] = ('"%d","1","d","q","u","good ""day"" %s"\n'):format(i % 2 * 4, i == 3 and 'rare' or '') end
    write('training.1600000.processed.noemoticon.csv', table.concat(rows))
    write('testdata.manual.2009.06.14.csv', '"4","1","d","q","u","Good other"\n"2","1","d","q","u","so so"\n')
    local train, valid, test = dl.loadSentiment140(folder, 3, 4)
    assert.same({ 7, 1, 1 }, { train:size(), valid:size(), test:size() })
    assert.same({ day = 1, good = 2, ['<OOV>'] = 3 }, train.vocab)
    assert.same({ { 0, 0, 2, 3 } }, test.inputs:totable())
    assert.same({ 2 }, test.targets:totable())
    for i = 1, 7 do assert.equal(0, train.inputs[i][1]) end
  end)

  it('ImageNet', function()
    for _, part in ipairs { 'train', 'ILSVRC2012_img_val' } do
      paths.mkdir(folder .. '/' .. part .. '/n01')
      write(part .. '/n01/1.ppm', 'P6\n2 2\n255\n' .. ('\255'):rep(12))
    end
    local train, valid = dl.loadImageNet(folder, 1, { 3, 2, 2 }, { 3, 1, 1 })
    for _, inputs in train:sampleiter(3, 3) do assert.same({ 3, 3, 1, 1 }, inputs:size():totable()) end
    for _, inputs in valid:subiter(1, 1) do assert.same({ 10, 3, 1, 1 }, inputs:size():totable()) end
    assert.error_matches(function() dl.loadImageNet '/no/such' end, 'neither ILSVRC2012_img_train nor train')
  end)
end)

describe('a helper of dataload', function()
  it('numbers words, and says which follow', function()
    local vocab, ivocab, counts = dl.buildVocab({ 'b', 'a', 'b', 'c', 'b', 'a' }, 2)
    assert.same({ a = 1, b = 2, ['<OOV>'] = 3 }, vocab)
    assert.same({ 'a', 'b', '<OOV>' }, ivocab)
    assert.same({ a = 2, b = 3, ['<OOV>'] = 1 }, counts)
    assert.same({ 2, 3, 1 }, dl.text2tensor({ 'b', 'z', 'a' }, vocab):totable())
    local bigrams = dl.buildBigrams(dl.SequenceLoader(torch.IntTensor { 1, 2, 1, 3, 1, 2 }, 1))
    assert.same({ 2, 3 }, bigrams[1].index:totable())
    assert.is_true(torch.abs(bigrams[1].prob - torch.FloatTensor { 2 / 3, 1 / 3 }):max() < 1e-6)
    assert.same({ 1 }, bigrams[3].index:totable())
  end)

  it('scales, cuts in two, and normalises', function()
    assert.same({ -1, 0, 1 }, dl.rescale(torch.Tensor { 2, 3, 4 }, -1, 1):totable())
    assert.same({ 0, 1, 0 }, dl.binarize(torch.Tensor { 0.2, 0.7, 0.5 }, 0.5):totable())
    local x = torch.randn(64, 2, 5, 5)
    x:select(2, 2):mul(3):add(10)
    local cache = folder .. '/cache.t7'
    local normalise = dl.fitImageNormalize(dl.TensorLoader(x, torch.ones(64)), 64, cache, false, 2, 'subiter')
    local y = normalise(x:clone())
    for channel = 1, 2 do
      assert.is_true(math.abs(y:select(2, channel):mean()) < 1e-9)
      assert.is_true(math.abs(y:select(2, channel):contiguous():view(-1):std() - 1) < 0.02)
    end
    local cached = dl.fitImageNormalize(nil, nil, cache)
    assert.is_true(torch.equal(y, cached(x:clone())))
  end)

  it('loads, fetches and unpacks', function()
    for _, mode in ipairs { 'ascii', 'binary' } do
      torch.save(folder .. '/x', { 7 }, mode)
      assert.same({ 7 }, dl.load(folder .. '/x'))
    end
    assert.error_matches(function() dl.load '/no/such' end, 'dataload.load: /no/such: No such file')
    if not paths.findprogram 'curl' and not paths.findprogram 'wget' then return pending 'curl and wget are not installed' end
    if not paths.findprogram 'curl' then return pending 'wget fetches no file: addresses' end
    write('a.txt', 'contents')
    os.execute(('tar -C %s -czf %s/a.tar.gz a.txt'):format(folder, folder))
    local into = folder .. '/into'
    local archive = dl.downloadfile(into, 'file://' .. folder .. '/a.tar.gz')
    assert.equal(into .. '/a.tar.gz', archive)
    dl.decompressfile(into, 'a.tar.gz')
    assert.equal('contents', files.read(into .. '/a.txt'))
    assert.error_matches(function() dl.downloadfile(into, 'file:///no/such.zip') end, 'dataload.downloadfile: curl .*: curl: %(37%)')
    assert.is_false(paths.filep(into .. '/such.zip.part'))
    assert.error_matches(function() dl.decompressfile(folder, 'a.txt') end, 'archive: .*/a.txt, expected .tar')
  end)

  it('names hosts and experiments, cuts texts, and unpacks archives of tar', function()
    local seen = {}
    for _ = 1, 100 do
      local id = dl.uniqueid()
      assert.is_nil(seen[id])
      seen[id] = true
      assert.matches('^' .. dl.hostname():gsub('%W', '%%%0') .. ':%d+:%d+$', id)
    end
    assert.matches('^run%-%d+%-%d+$', dl.uniqueid('run', '-'))
    assert.same({ 'a', 'b', 'c' }, dl.splitString 'a:b::c:')
    assert.same({ 'a', 'b', 'c^d' }, dl.splitString(']a,b]c^d', ',]'))
    assert.same({}, dl.splitString('', ','))
    write('in.txt', 'inside')
    os.execute(('tar -C %s -cf %s/a.tar in.txt'):format(folder, folder))
    dl.untar(folder .. '/a.tar', folder .. '/made here')
    assert.equal('inside', files.read(folder .. '/made here/in.txt'))
    assert.error_matches(function() dl.untar(folder .. '/none.tar', folder) end, 'dataload.untar: .*none.tar: No such file')
    assert.equal('a\t1\t\n', program.evaluate "require 'dataload' table.print { a = 1 }")
  end)

  it('has folders, made when they are asked for', function()
    local code = "local dl = require 'dataload' local there = paths.dirp(arg and '' or os.getenv 'DEEP_SAVE_PATH') "
      .. "print(dl.TORCH_PATH, dl.DATA_PATH, dl.SAVE_PATH, there, paths.dirp(dl.SAVE_PATH))"
    local output = program.run({ '-e', code }, '', ('TORCH_DATA_PATH=%s DEEP_SAVE_PATH=%s/s'):format(folder, folder))
    assert.equal(('%s\t%s/data\t%s/s\tfalse\ttrue\t\n'):format(folder, folder, folder), output)
  end)
end)
