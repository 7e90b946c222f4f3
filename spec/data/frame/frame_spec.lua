-- Data frames: columns by name, rows that are chosen, described, sorted and grouped, as pandas does it (frame_figures.py).
local torch = require 'torch'
local data = require 'data'
local paths = require 'paths'
local files = require 'spec.support.files'
local figures = require 'spec.data.frame.frame_figures'
local assertClose = require('spec.support.close').within { rtol = 1e-12, atol = 1e-12, equalNan = true }

local name
local function load(options)
  files.write(name, figures.text)
  return data.csv.load(name, options)
end

-- The numbers of a frame's rows, from a column that contains them.
local function numbered(frame)
  local numbers = torch.range(1, frame:size()):long()
  local columns = { number = numbers }
  for _, column in ipairs(frame.names) do columns[column] = frame:select(column) end
  local order = { 'number', unpack(frame.names) }
  return data.Frame(columns, order)
end

describe('data.Frame', function()
  before_each(function() name = paths.tmpname() end)
  after_each(function() os.remove(name) end)

  it('is a table in a notebook', function()
    files.write(name, 'a<b,c\n1,x & y\n2.5,z\n')
    assert.equal('<table><thead><tr><th>a&lt;b</th><th>c</th></tr></thead><tbody><tr><td>1</td><td>x &amp; y</td></tr>'
      .. '<tr><td>2.5</td><td>z</td></tr></tbody></table><small>data.Frame of 2 rows, 2 columns</small>',
      require('notebook.mime').bundle(data.csv.load(name))['text/html'])
  end)

  it('has its columns by name', function()
    local frame = load()
    assert.equal('poppy', frame.species[2])
    assert.equal(frame.columns.species, frame.species)
    assert.equal(6.25, frame['length'][4])
    assert.is_nil(frame.nothing)
    assert.equal('torch.LongTensor', frame.types.count)
    local column = data.Frame { size = { 1, 2 }, names = { 'a', 'b' } }      -- methods and fields have these names
    assert.equal(2, column:size())
    assert.same({ 'names', 'size' }, column.names)
    assert.same({ 1, 2 }, column:column('size'):totable())
    local copy = torch.deserialize(torch.serialize(frame))
    assert.equal('poppy', copy.species[2])
    assert.is_nil(rawget(frame, 'species'))
  end)

  it('is made of columns', function()
    local columns = { x = torch.FloatTensor { 1, 2 }, t = { 'a', 'b' }, n = { 3, 4 }, b = { true, false } }
    local frame = data.Frame(columns, { 't', 'x', 'n', 'b' })
    assert.same({ 't', 'x', 'n', 'b' }, frame.names)
    assert.same({ t = 'text', x = 'torch.FloatTensor', n = 'torch.DoubleTensor', b = 'torch.BoolTensor' }, frame.types)
    assert.same({ { 'a', 1, 3, 'true' }, { 'b', 2, 4, 'false' } }, frame:rows())
    assert.same({ 'a', 'b' }, data.Frame({ b = { 1 }, a = { 2 } }).names)
    assert.equal(0, data.Frame({ a = {} }):size())
    assert.error_matches(function() data.Frame { a = { 1, 2 }, b = { 1 } } end, 'data.Frame: b: 1 values, expected 2')
    assert.error_matches(function() data.Frame { a = { 1, 'x' } } end, 'data.Frame: a%[2%]: a string after values of the type number')
    assert.error_matches(function() data.Frame { a = torch.ones(2, 2) } end, 'data.Frame: a: 2 dimensions, expected a vector')
    assert.error_matches(function() data.Frame { a = { {} } } end, 'a list of the type table')
  end)

  it('gives its first and last rows, and some by number', function()
    local frame = numbered(load())
    assert.same({ 1, 2, 3, 4, 5 }, frame:head().number:totable())
    assert.same({ 1, 2 }, frame:head(2).number:totable())
    assert.same({ 6, 7 }, frame:tail(2).number:totable())
    assert.same({ 'iris', 'rose' }, frame:tail(2).species)
    assert.equal(7, frame:head(100):size())
    assert.equal(0, frame:head(0):size())
    assert.same({ 3, 1, 3 }, frame:take({ 3, 1, 3 }).number:totable())
    assert.same({ 7 }, frame:take(torch.LongTensor { 7 }).number:totable())
    assert.equal(0, frame:take({}):size())
    assert.error_matches(function() frame:take { 0 } end, 'data.Frame:take: indices: 0, expected numbers from 1 to 7')
    assert.error_matches(function() frame:take { 8 } end, 'data.Frame:take: indices: 8, expected numbers from 1 to 7')
    assert.error_matches(function() frame:head(-1) end, 'n: %-1, expected')
    assert.same({ 1, 6 }, frame:where(function(row) return row.length == 5.1 end).number:totable())
    assert.same({ 4 }, frame:where(frame.length:gt(6)).number:totable())
    assert.error_matches(function() frame:where(torch.ByteTensor(3)) end, 'mask: 3 elements, expected 7')
  end)

  it('gives some of its columns, which are shared', function()
    local frame = load()
    local some = frame:select { 'width', 'species' }
    assert.same({ 'width', 'species' }, some.names)
    some.width[1] = 9
    assert.equal(9, frame.width[1])
    assert.same({ 'length' }, frame:select('length').names)
    assert.same({ 'length' }, frame:select(2).names)
    assert.error_matches(function() frame:select { 'none' } end, 'data.Frame: column: none, expected one of species, length')
  end)

  it('is described', function()
    local frame = load():describe()
    assert.same({ 'length', 'width', 'count' }, frame.names)
    assert.same({ 'count', 'mean', 'std', 'min', '25%', '50%', '75%', 'max' }, frame.rowNames)
    for column, expected in pairs(figures.describe) do assertClose(expected, (frame:column(column))) end
    local single = data.Frame({ x = { 5 }, nothing = { 0 / 0 } }):describe()
    assertClose({ 1, 5, 0 / 0, 5, 5, 5, 5, 5 }, single.x)
    assertClose({ 0, 0 / 0, 0 / 0, 0 / 0, 0 / 0, 0 / 0, 0 / 0, 0 / 0 }, single.nothing)
  end)

  it('drops rows that lack a value', function()
    local frame = numbered(load())
    assert.same(figures.complete, frame:dropMissing().number:totable())
    assert.same(figures.measured, frame:dropMissing({ 'length', 'count' }).number:totable())
    local typed = load { types = { site = 'category', count = 'double' } }
    assert.equal(#figures.complete, typed:dropMissing():size())
    assert.equal(6, typed:dropMissing('site'):size())
  end)

  it('is sorted', function()
    local frame = numbered(load())
    assert.same(figures.sorted, frame:sort({ 'species', 'count' }).number:totable())
    assert.same(figures.descending, frame:sort('length', { descending = true }).number:totable())
    local typed = load { types = { species = 'category' } }      -- by names
    assert.same({ 1, 1, 1, 2, 2, 3, 3 }, typed:sort('species').species:totable())
    typed = load { types = { species = { 'rose', 'iris', 'poppy' } } }      -- by the list
    assert.same({ 1, 1, 2, 2, 2, 3, 3 }, typed:sort('species').species:totable())
    local flags = data.Frame { flag = torch.BoolTensor { true, false, true, false }, n = torch.Tensor { 1, 2, 3, 4 } }
    assert.same({ 2, 4, 1, 3 }, flags:sort('flag').n:totable())
    assert.error_matches(function() frame:sort() end, 'data.Frame:sort: by: expected the name of a column')
  end)

  it('counts values', function()
    local counts = load():valueCounts 'species'
    assert.same(figures.counts[1], counts.species)
    assert.same(figures.counts[2], counts.count:totable())
    counts = load({ types = { species = 'category' } }):valueCounts 'species'
    assert.equal('iris', counts.categories.species[counts.species[1]])
    assert.same({ 'count', 'count_2' }, load():valueCounts('count').names)
    counts = data.Frame({ s = { 'a', 'b', 'b', 'c', 'b', 'c' } }):valueCounts 's'
    assert.same({ 'b', 'c', 'a' }, counts.s)
    assert.same({ 3, 2, 1 }, counts.count:totable())
  end)

  it('is grouped', function()
    local groups = load():group 'species'
    for f, expected in pairs(figures.groups) do
      local frame = groups:aggregate(f)
      assert.same({ 'species', 'length', 'width', 'count' }, frame.names)
      assert.same(expected.species, frame.species)
      for _, column in ipairs { 'length', 'width', 'count' } do assertClose(expected[column], (frame:column(column))) end
    end
    assertClose(figures.groups.mean.length, groups:mean().length)
    local keys = {}
    for key, rows in groups:each() do keys[#keys + 1] = ('%s %d'):format(key, rows:size()) end
    assert.same({ 'iris 3', 'poppy 2', 'rose 2' }, keys)
    local ranges = groups:aggregate { width = function(x) return x:max() - x:min() end, length = 'max' }
    assert.same({ 'species', 'length', 'width' }, ranges.names)
    assert.equal(0.5, ranges.width[1])
    local both = load():group { 'site', 'species' }
    assert.same(figures.both[1], both:count().site)
    assert.same(figures.both[2], both:count().species)
    assertClose(figures.both[3], both:aggregate('count').length)
    assert.matches('%[data.Groups of 7 rows by site, species%]', tostring(both))
    assert.error_matches(function() groups:aggregate 'mode' end, "data.Groups:aggregate: what: .mode., expected 'mean'")
    assert.error_matches(function() groups:aggregate { site = 'mean' } end, 'site has texts, expected numbers')
    assert.error_matches(function() groups:get(4) end, 'i: 4, expected')
  end)
end)
