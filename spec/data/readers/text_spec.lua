-- Text, its tokens, and vocabularies.
local torch = require 'torch'
local paths = require 'paths'
local files = require 'spec.support.files'
local data = require 'data'

local name
before_each(function() name = paths.tmpname() end)
after_each(function() os.remove(name) end)

describe('data.text', function()
  it('takes text apart', function()
    assert.same({ 'To', 'be,', 'or' }, data.text.words ' To be,\n or ')
    assert.same({ 'to', 'be', 'or' }, data.text.words('To be, OR', { lower = true, pattern = '%a+' }))
    assert.same({ 'a', 'b', '</s>', 'c', '</s>' }, data.text.words('a b\nc\n', { ending = '</s>' }))
    assert.same({ 'a', 'é', '€', '😀', '\n' }, data.text.characters 'aé€😀\n')
    assert.error_matches(function() data.text.characters 'ab\255' end, 'text.characters: contents: at byte 3: expected a character in UTF')
    assert.error_matches(function() data.text.characters '\226\130' end, 'at byte 1: expected a character in UTF%-8, read "')
    files.write(name, 'one\r\ntwo\n\nthree')
    local list = {}
    for number, line in data.text.lines(name) do list[number] = line end
    assert.same({ 'one', 'two', '', 'three' }, list)
    assert.error_matches(function() data.text.read '/no/such' end, 'data.text.read: cannot open /no/such: No such file')
  end)

  it('reads files as numbers', function()
    files.write(name, 'the cat and the dog and the end\n')
    local ids, words = data.text.load(name)
    assert.same({ 1, 3, 2, 1, 4, 2, 1, 5 }, ids:totable())
    assert.same({ 'the', 'and', 'cat', 'dog', 'end' }, words.tokens)
    assert.same({ 3, 2, 1, 1, 1 }, words.counts)
    ids, words = data.text.load(name, { minimum = 2, unknown = '<unk>', special = { '<pad>' } })
    assert.same({ '<pad>', '<unk>', 'the', 'and' }, words.tokens)
    assert.same({ 3, 2, 4, 3, 2, 4, 3, 2 }, ids:totable())
    files.write(name, 'cab')
    local characters
    ids, characters = data.text.load(name, { unit = 'characters' })
    assert.same({ 3, 1, 2 }, ids:totable())
    files.write(name, 'abba')
    assert.same({ 1, 2, 2, 1 }, data.text.load(name, { unit = 'characters', vocabulary = characters }):totable())
    files.write(name, 'a\nb\r\na\n')
    assert.same({ 1, 2, 1 }, data.text.load(name, { unit = 'lines' }):totable())
    assert.error_matches(function() data.text.load(name, { unit = 'bytes' }) end, "data.text.load: unit: bytes, expected 'words'")
  end)
end)

describe('data.Vocabulary', function()
  it('numbers tokens, and comes back from files', function()
    local words = data.Vocabulary({ 'b', 'a', 'b', 'c' }, { most = 2 })
    assert.same({ 1, 2, nil }, { words:id 'b', words:id 'a', words:id 'c' })
    assert.same({ 'a', 'b' }, words:decode(torch.LongTensor { 2, 1 }))
    assert.error_matches(function() words:encode { 'a', 'c' } end, 'encode: token 2, "c", is not known, and the option unknown is not set')
    assert.error_matches(function() words:token(3) end, 'data.Vocabulary: id: 3, expected a whole number from 1 to 2')
    torch.save(name, words)
    assert.same({ 2, 1 }, torch.load(name):encode { 'a', 'b' }:totable())
    assert.equal('data.Vocabulary of 2 tokens: "b" "a"', tostring(words))
  end)
end)
