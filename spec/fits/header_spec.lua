-- Cards of headers: known texts of chapter 4 of the standard, read and written.
local torch = require 'torch'
local fits = require 'fits'
local files = require 'spec.support.files'
local bytes = require 'spec.fits.bytes'

local name
before_each(function() name = os.tmpname() end)
after_each(function() os.remove(name) end)

-- The header of a file with these cards behind those of an empty image.
local function headerOf(...)
  files.write(name, bytes.image(8, {}, { ... }))
  return fits.open(name)[1].header
end

-- The card behind SIMPLE, BITPIX, NAXIS and NAXIS1 that `save` writes, and the next ones, without blanks at their ends.
local function written(cards, count)
  fits.save(name, torch.ByteTensor { 1 }, cards)
  local text, list = files.read(name), {}
  for i = 1, count or 1 do list[i] = text:sub(321 + 80 * (i - 1), 320 + 80 * i):gsub(' +$', '') end
  return unpack(list)
end

describe('The header of a FITS file', function()
  it('has values of each form', function()
    local function value(text) return (headerOf('KEY     = ' .. text):get 'KEY') end
    for text, expected in pairs {
      ['T'] = true, ['F'] = false, ['                   F / no'] = false, ['1'] = 1, ['+5'] = 5, ['-7 / x'] = -7, ['.5'] = 0.5,
        ['1.5D3'] = 1500,
      ['1.5d-3'] = 0.0015, ['2E+2'] = 200, ['3.'] = 3, ['12-3'] = '12-3', ['1.2.3'] = '1.2.3', ['word'] = 'word', ['0x10'] = '0x10',
        ['TF'] = 'TF',
      ["'text'"] = 'text', ["'it''s'"] = "it's", ["''''"] = "'", ["''"] = '', ["'  a  '"] = '  a', ["'a/b' / c"] = 'a/b', ["'1'"] = '1',
      ["   'late'"] = 'late', ['(1, -2.5)'] = { 1, -2.5 }, ['( 1E2 ,3 ) / z'] = { 100, 3 }, ['(1, x)'] = '(1, x)', ['(x, 1)'] = '(x, 1)',
      ["'T'"] = 'T',
    } do
      assert.same(expected, value(text), text)
    end
    for _, text in ipairs { '', '/ only a comment', "'no end", '   ' } do assert.is_nil(value(text), text) end
  end)

  it('has comments', function()
    local function comment(text) return (select(2, headerOf('KEY     = ' .. text):get 'KEY')) end
    assert.equal('seconds', comment '3 / seconds')
    assert.equal(' a / b', comment "'x/y' /  a / b  ")
    assert.equal('c', comment '/c')
    assert.is_nil(comment '3')
    assert.is_nil(comment '3 /')
    assert.is_nil(comment "'3' /")
    assert.is_nil(comment "'3' words")
  end)

  it('has texts, long strings and keys of more than 8 characters', function()
    local header = headerOf('COMMENT   first = 1', 'HISTORY = second', '        blank key', '', 'NOVALUE  text', 'lower   = 2',
      "LONG    = 'one &'", "CONTINUE  'two&' / seen", "CONTINUE  'three' / last", "CONTINUE  'alone'",
      "NUMBER  = 5", "CONTINUE  'five'", "PLAIN   = 'a'", "CONTINUE  'b'", "AMP     = 'c&'", "CONTINUE  bad",
      'HIERARCH ESO  DET gain = 1.5 / e', 'HIERARCH no value')
    local found = {}
    for i = 4, #header.cards do
      local card = header.cards[i]
      found[i - 3] = { card.key, card.value, card.comment }
    end
    assert.same({
      { 'COMMENT', '  first = 1' }, { 'HISTORY', '= second' }, { '', 'blank key' }, { 'NOVALUE', ' text' }, { 'lower', 2 },
      { 'LONG', 'one two' .. 'three', 'last' }, { 'CONTINUE', "  'alone'" }, { 'NUMBER', 5 }, { 'CONTINUE', "  'five'" }, { 'PLAIN', 'a' },
      { 'CONTINUE', "  'b'" }, { 'AMP', 'cbad' }, { 'ESO  DET GAIN', 1.5, 'e' }, { 'HIERARCH', ' no value' },
    }, found)
    for _, card in ipairs(header.cards) do assert.is_nil(card.isText) end
    files.write(name, bytes.header { "CONTINUE  'x'" })
    assert.matches('expected the card SIMPLE, read CONTINUE', tostring(select(2, pcall(fits.open, name))))
  end)

  it('gets and sets values', function()
    local header = fits.header { { 'A', 1, 'one' }, { key = 'b', value = 'x', comment = 'two' }, { 'COMMENT', 'c' } }
    assert.same({ 1, 'one' }, { header:get 'a' })
    assert.same({ 'x', 'two' }, { header:get 'B' })
    assert.equal(header, header:set('a', 2))
    assert.same({ 2, 'one' }, { header:get 'A' })
    header:set('a', 3, 'three'):set('comment', 'd'):set('History', 'h'):set('HISTORY', 'i'):set('', 'j'):set('', 'k'):set('b',
      nil):set('no', nil)
    assert.same({ 3, 'three' }, { header:get 'A' })
    assert.is_nil((header:get 'B'))
    local keys = {}
    for i, card in ipairs(header.cards) do keys[i] = card.key .. '=' .. tostring(card.value) end
    assert.same({ 'A=3', 'COMMENT=c', 'COMMENT=d', 'HISTORY=h', 'HISTORY=i', '=j', '=k' }, keys)
    header:set('new', false, 'n')
    assert.same({ false, 'n' }, { header:get 'NEW' })
    assert.same({}, fits.header().cards)
    local byKey = fits.header { Z = 1, a = 'x', { 'first', 0 } }
    assert.same({ 'FIRST', 'Z', 'A' }, { byKey.cards[1].key, byKey.cards[2].key, byKey.cards[3].key })
    assert.same(byKey.cards, fits.header(byKey).cards)
    assert.has_error(function() header:get {} end, 'fits.Header:get: key: a table, expected a string')
    assert.has_error(function() header:set({}, 1) end, 'fits.Header:set: key: a table, expected a string')
    assert.has_error(function() fits.header { 1 } end, 'fits.header: card: 1, expected a table')
    assert.has_error(function() fits.header { { {}, 2 } } end, 'fits.header: card: key: a table, expected a string')
    assert.has_error(function() fits.header(3) end, 'fits.header: header: 3, expected a table')
  end)
end)

describe('fits.save of a header', function()
  it('writes numbers so that they read back', function()
    for value, text in pairs {
      [0] = '0', [-3] = '-3', [0.5] = '0.5', [0.1] = '0.1', [1 / 3] = '0.33333333333333331', [1e300] = '1E+300', [1.5e-7] = '1.5E-07',
      [2 ^ 63] = '9223372036854775808', [2 ^ 70] = '1.1805916207174113E+21', [1e22] = '1E+22', [-1e-5] = '-1E-05',
        [123456789.125] = '123456789.125',
    } do
      assert.equal(('KEY     = %20s'):format(text), written { { 'KEY', value } })
      assert.equal(value, (fits.open(name)[1].header:get 'KEY'))
    end
  end)

  it('writes the text of cards', function()
    assert.equal('KEY     =                    T', written { { 'key', true } })
    assert.equal('KEY     =                    F / no', written { { 'KEY', false, 'no' } })
    assert.equal("KEY     = 'a       ' / b", written { { 'KEY', 'a', 'b' } })
    assert.equal("KEY     = 'it''s   '", written { { 'KEY', "it's" } })
    assert.equal('KEY     =            (1, -2.5)', written { { 'KEY', { 1, -2.5 } } })
    assert.equal('HIERARCH ESO DET GAIN = 1.5 / e', written { { 'ESO DET GAIN', 1.5, 'e' } })
    assert.equal('HIERARCH A.B = 1', written { { 'A.B', 1 } })
    assert.equal('A-B_C   =                    1', written { { 'A-B_C', 1 } })
    assert.equal("HIERARCH LONGERKEY = 'x       '", written { { 'LONGERKEY', 'x' } })
    assert.equal('KEY     =                    1 / ' .. ('c'):rep(47), written { { 'KEY', 1, ('c'):rep(60) } })
    -- A comment needs four characters.
    local value = ('v'):rep(80 - 12 - 4)
    assert.equal(("KEY     = '%s' / c"):format(value), written { { 'KEY', value, 'comment' } })
    assert.equal(("KEY     = '%sv'"):format(value), written { { 'KEY', value .. 'v', 'comment' } })
    -- The longest value of one card, and one more.
    local longest = ('v'):rep(68)
    assert.equal(("KEY     = '%s'"):format(longest), written { { 'KEY', longest } })
    local first, second = written({ { 'KEY', longest .. 'w' } }, 2)
    assert.equal(("KEY     = '%s&'"):format(('v'):rep(67)), first)
    assert.equal("CONTINUE  'vw'", second)
    assert.equal(longest .. 'w', (fits.open(name)[1].header:get 'KEY'))
  end)

  it('writes long strings so that two quotes stay together', function()
    for n = 60, 72 do
      for quotes = 1, 4 do
        local value = ('v'):rep(n) .. ("'"):rep(quotes) .. ('w'):rep(90)
        written { { 'KEY', value } }
        assert.equal(value, (fits.open(name)[1].header:get 'KEY'))
      end
    end
    local first = written { { 'KEY', ('v'):rep(66) .. "'" .. ('w'):rep(9) } }
    assert.equal(("KEY     = '%s&'"):format(('v'):rep(66)), first)
  end)

  it('writes commentary of several cards', function()
    local a, b, c = written({ { 'COMMENT', ('x'):rep(72) .. 'yz' }, { 'HISTORY', 3 } }, 3)
    assert.same({ 'COMMENT ' .. ('x'):rep(72), 'COMMENT yz', 'HISTORY 3' }, { a, b, c })
    a, b = written({ { 'HISTORY', ('x'):rep(72) }, { '', 'free' } }, 2)
    assert.same({ 'HISTORY ' .. ('x'):rep(72), '        free' }, { a, b })
    a, b = written({ { 'COMMENT', '' }, { 'A', 1 } }, 2)
    assert.same({ 'COMMENT', 'A       =                    1' }, { a, b })
  end)

  it('omits keys that the data determine', function()
    local given = { A = 1 }
    for _, key in ipairs { 'SIMPLE', 'XTENSION', 'BITPIX', 'NAXIS', 'EXTEND', 'PCOUNT', 'GCOUNT', 'GROUPS', 'TFIELDS', 'THEAP', 'END',
      'BSCALE',
                           'BZERO', 'BLANK', 'EXTNAME', 'CHECKSUM', 'DATASUM', 'NAXIS1', 'NAXIS22', 'TTYPE1', 'TFORM3', 'TSCAL1', 'TZERO1',
                           'TNULL1', 'TBCOL1' } do
      given[key] = 9
    end
    given.TTYPE, given.AB1, given.UNDEFINED = 7, 8, nil
    local a, ab, ttype, stop = written(given, 4)
    assert.same({ 'A       =                    1', 'AB1     =                    8', 'TTYPE   =                    7', 'END' }, { a, ab,
      ttype, stop })
  end)

  it('refuses values that cards cannot have', function()
    local function refused(expected, card)
      local good, problem = pcall(fits.save, name, torch.ones(1), { card })
      assert.is_false(good)
      assert.equal('fits.save: card ' .. expected, (tostring(problem):gsub('^[^ ]*:%d+: ', '')))
    end
    local form = ', expected a string, a boolean, a finite number or two numbers'
    refused('KEY: inf' .. form, { 'KEY', math.huge })
    refused('KEY: -inf' .. form, { 'KEY', -math.huge })
    refused('KEY: a table' .. form, { 'KEY', { 1, 'x' } })
    refused('KEY: a table' .. form, { 'KEY', { 'x', 1 } })
    refused('A\tB: 1, expected characters of ASCII', { 'A\tB', 1 })
    refused('KEY: 1, expected characters of ASCII', { 'KEY', 1, 'gr\195\188n' })
    refused("COMMENT: 'a\nb', expected characters of ASCII", { 'COMMENT', 'a\nb' })
    refused(("LONGERKEY: '%s', expected a value that fits beside a key of more than 8 characters"):format(('v'):rep(70)),
      { 'LONGERKEY', ('v'):rep(70) })
    refused(('%s: 1, expected a key and a value of 80 characters'):format(('K'):rep(68)), { ('K'):rep(68), 1 })
    fits.save(name, torch.ones(1), { { ('K'):rep(67), 1 } })
    assert.equal(1, (fits.open(name)[1].header:get(('K'):rep(67))))
  end)
end)
