-- Digests against RFC 1321's test suite, and against coreutils' md5sum.
local md5 = require 'md5'

-- RFC 1321, A.5.
local suite = {
  [''] = 'd41d8cd98f00b204e9800998ecf8427e',
  a = '0cc175b9c0f1b6a831c399e269772661',
  abc = '900150983cd24fb0d6963f7d28e17f72',
  ['message digest'] = 'f96b697d7cb7938d525a2f31aaf161d0',
  abcdefghijklmnopqrstuvwxyz = 'c3fcd3d76192e4007dfb496cca67e13b',
  ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 = 'd174ab98d277d9f5a5611c2c9f419d9f',
  [('1234567890'):rep(8)] = '57edf4a22be3c955ac49da2e2107b67a',
}

describe('md5', function()
  it('has the digests of RFC 1321', function()
    for text, digest in pairs(suite) do
      assert.equal(digest, md5.sumhexa(text))
      assert.equal(digest, md5.string(text))
      assert.equal(digest, md5.tohex(md5.sum(text)))
      assert.equal(16, #md5.sum(text))
    end
  end)

  it('sets no global', function() assert.is_nil(rawget(_G, 'md5')) end)

  it('takes a message in parts of any lengths', function()
    local text = {}
    for i = 1, 300 do text[i] = string.char(i * 7 % 256) end
    text = table.concat(text)
    for _, step in ipairs { 1, 3, 55, 56, 63, 64, 65, 128, 299 } do
      local digest = md5.new()
      for first = 1, #text, step do assert.equal(digest, digest:update(text:sub(first, first + step - 1))) end
      local bytes = digest:finish()
      assert.equal(md5.sum(text), bytes)
      assert.equal(bytes, digest:finish())
      assert.error_matches(function() digest:update 'x' end, 'md5.update: the digest is finished')
    end
  end)

  it('agrees with md5sum, on files of any length', function()
    local name = os.tmpname()
    for _, length in ipairs { 0, 1, 55, 56, 64, 65535, 65536, 65537, 200000 } do
      local file = assert(io.open(name, 'wb'))
      file:write(('\0\255\n\r moon'):rep(math.ceil(length / 9)):sub(1, length))
      file:close()
      local pipe = io.popen('md5sum <' .. name)
      local expected = pipe:read '*a':match '%x+'
      pipe:close()
      assert.equal(expected, md5.file(name))
    end
    os.remove(name)
  end)

  it('names the value that it refuses', function()
    assert.error_matches(function() md5.sum(3) end, 'md5.sum: s: a number, expected a string')
    assert.error_matches(function() md5.sumhexa() end, 'md5.sumhexa: s: a nil, expected a string')
    assert.error_matches(function() md5.file '/no/such/file' end, 'md5.file: name: /no/such/file: No such file')
    assert.error_matches(function() md5.file '/' end, 'md5.file: name: /: Is a directory')
  end)
end)
