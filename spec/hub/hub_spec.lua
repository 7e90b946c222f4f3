-- Sources of files: a local server with ranges stands for the network.
local torch, hub, paths = require 'torch', require 'hub', require 'paths'
local ffi = require 'ffi'
local files = require 'spec.support.files'

ffi.cdef 'int mt_spec_setenv(const char *name, const char *value, int overwrite) asm("setenv");'

local function set(name, value) ffi.C.mt_spec_setenv(name, value, 1) end

-- The digest of 'abc' is the example of FIPS 180-4.
local digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
local quiet = { quiet = true }

local function hasServer() return paths.findprogram 'curl' and paths.findprogram 'python3' end

describe('hub', function()
  local folder, former, path
  setup(function()
    former, path = os.getenv 'XDG_CACHE_HOME', os.getenv 'PATH'
    folder = paths.tmpname()
    os.remove(folder)
    paths.mkdir(folder)
    set('XDG_CACHE_HOME', folder .. '/cache')
  end)
  teardown(function()
    set('XDG_CACHE_HOME', former or '')
    set('PATH', path)
    paths.rmall(folder, 'yes')
  end)

  it("has its files in the user's cache", function() assert.equal(folder .. '/cache/moontorch/hub', hub.cache()) end)

  it('computes SHA-256', function()
    files.write(folder .. '/abc', 'abc')
    files.write(folder .. '/empty', '')
    assert.equal(digest, hub.sha256(folder .. '/abc'))
    assert.equal('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', hub.sha256(folder .. '/empty'))
  end)

  it('takes files and folders as they are', function()
    local name = folder .. '/nets/model.safetensors'
    paths.mkdir(folder .. '/nets')
    torch.safetensors.save(name, { a = torch.ones(3) })
    files.write(folder .. '/nets/config.json', '{}')
    assert.equal(name, hub.fetch(name))
    assert.equal(name, hub.fetch(folder .. '/nets'))
    assert.equal(3, hub.load(folder .. '/nets').a:sum())
    files.write(folder .. '/nets/a.pth', '')
    assert.equal(name, hub.fetch(folder .. '/nets'))
    os.remove(name)
    files.write(folder .. '/nets/b.pth', '')
    assert.error_matches(function() hub.fetch(folder .. '/nets') end, 'hub.fetch: source: .*/nets has a.pth, b.pth, expected one of them')
    assert.error_matches(function() hub.fetch(folder .. '/cache') end, 'hub.fetch: source: .*, expected a file, a folder or an address')
    assert.error_matches(function() hub.fetch(folder .. '/abc', { sha256 = ('0'):rep(64) }) end,
      ('hub.fetch: .*/abc: sha256 %s, expected %s'):format(digest, ('0'):rep(64)))
    assert.error_matches(function() hub.fetch(folder .. '/abc', { sha256 = 'abc' }) end, 'sha256: abc, expected 64 hexadecimal digits')
  end)

  it('refuses other addresses', function()
    for _, url in ipairs { 'file:///etc/passwd', 'ftp://example.org/a', 'http://' } do
      assert.error_matches(function() hub.fetch(url) end, 'hub.fetch: source: .*, expected an address of http or https')
    end
    assert.error_matches(function() hub.fetch 'http://a/b\nc' end, 'an address with spaces or control characters')
  end)

  it('says what it needs without curl', function()
    set('PATH', folder)
    local _, message = pcall(hub.fetch, 'http://127.0.0.1:1/x', quiet)
    set('PATH', path)
    assert.matches('hub.fetch: http://127.0.0.1:1/x: the program curl is not installed.*apt%-get install curl', message)
  end)

  describe('with a server', function()
    local address, server, input, served
    setup(function()
      if not hasServer() then return end
      served = folder .. '/served'
      paths.mkdir(served)
      input = served .. '/input'
      os.execute(("mkfifo '%s'"):format(input))
      server = io.popen(("python3 spec/hub/server.py '%s' <'%s'"):format(served, input))
      input = io.open(input, 'w')      -- the server ends with it
      address = 'http://127.0.0.1:' .. server:read '*l'
    end)
    teardown(function()
      if not server then return end
      input:close()
      server:close()
    end)

    local function requests()
      local list = {}
      for line in files.read(served .. '/requests'):gmatch '[^\n]+' do list[#list + 1] = line end
      os.remove(served .. '/requests')
      return list
    end

    local function needsServer(title, f)
      it(title, function()
        if not hasServer() then pending 'curl and python3 are needed' end
        f()
      end)
    end

    needsServer('fetches an address once, and says from where and how much', function()
      torch.safetensors.save(served .. '/net.safetensors', { a = torch.ones(300) })
      local said, former_ = {}, io.stderr
      rawset(io, 'stderr', { write = function(_, text) said[#said + 1] = text end })
      local good, state = pcall(hub.load, address .. '/net.safetensors')
      rawset(io, 'stderr', former_)
      assert.is_true(good, state)
      assert.equal(300, state.a:sum())
      assert.equal('hub: fetching ' .. address .. '/net.safetensors', said[1])
      assert.matches('^hub: 2%.%d kB in ' .. hub.cache():gsub('%p', '%%%0') .. '/http/127.0.0.1%%3A%d+/net.safetensors$', said[2])
      assert.equal(300, hub.load(address .. '/net.safetensors', quiet).a:sum())
      assert.same({ '/net.safetensors -' }, requests())
      hub.fetch(address .. '/net.safetensors', { quiet = true, fresh = true })
      assert.equal(1, #requests())
    end)

    needsServer('keeps a file only with its checksum', function()
      files.write(served .. '/abc', 'abc')
      assert.equal('abc', files.read(hub.fetch(address .. '/abc', { sha256 = digest:upper(), quiet = true })))
      files.write(served .. '/other', 'other')
      local good, message = pcall(hub.fetch, address .. '/other', { sha256 = digest, quiet = true })
      assert.is_false(good)
      assert.matches('hub.fetch: .*/other: sha256 %x+, expected ' .. digest .. '; the file was not kept', message)
      assert.same({ 'abc' }, (function()
        local names = {}
        for name in paths.iterfiles(paths.dirname(hub.fetch(address .. '/abc', quiet))) do
          if name:find 'abc' or name:find 'other' then names[#names + 1] = name end
        end
        return names
      end)())
      requests()
    end)

    needsServer('goes on with an interrupted download', function()
      local bytes = ('0123456789'):rep(1000)
      files.write(served .. '/long', bytes)
      local url = address .. '/short/4321/long'
      local good, message = pcall(hub.fetch, url, quiet)
      assert.is_false(good)
      assert.matches('curl: .* %(status 18%), after 4321 bytes, with which the next download goes on', message)
      assert.is_true(bytes == files.read(hub.fetch(url, quiet)))
      assert.same({ '/short/4321/long -', '/short/4321/long bytes=4321-' }, requests())
    end)

    needsServer('begins again if the file has changed meanwhile, or the server has no ranges', function()
      files.write(served .. '/first', ('a'):rep(5000))
      local url = address .. '/short/10/first'
      assert.is_false((pcall(hub.fetch, url, quiet)))
      files.write(served .. '/first', ('b'):rep(9))
      assert.equal(('b'):rep(9), files.read(hub.fetch(url, quiet)))
      files.write(served .. '/second', ('c'):rep(5000))
      assert.is_false((pcall(hub.fetch, address .. '/short/10/second', quiet)))
      local part = hub.cache() .. '/' .. address:gsub(':', '%%3A'):gsub('^http%%3A//', 'http/') .. '/plain/'
      paths.mkdir(part)
      for _, ending in ipairs { '.part', '.part.head' } do
        os.rename(part:gsub('plain/$', 'short/10/second') .. ending, part .. 'second' .. ending)
      end
      assert.equal(('c'):rep(5000), files.read(hub.fetch(address .. '/plain/second', quiet)))
      assert.same({ '/plain/second bytes=10-', '/plain/second -' }, { select(-2, unpack(requests())) })
    end)

    needsServer('gives the reason of a failure', function()
      assert.error_matches(function() hub.fetch(address .. '/missing', quiet) end, 'hub.fetch: .*/missing: curl: .*404.* %(status 22%)')
      assert.error_matches(function() hub.fetch(address .. '/moved/away', quiet) end, 'hub.fetch: .*curl: .*')
      files.write(served .. '/abc', 'abc')
      assert.equal('abc', files.read(hub.fetch(address .. '/moved/abc', quiet)))
      requests()
    end)

    needsServer('passes addresses to curl as they are', function()
      local odd = address .. "/a';touch${IFS}'" .. folder .. "/x';`touch$IFS" .. folder .. '/x`$(id)"--output'
      assert.error_matches(function() hub.fetch(odd, quiet) end, 'curl: ')
      assert.is_false(paths.filep(folder .. '/x'))
      files.write(served .. '/abc', 'abc')
      assert.equal('abc', files.read(hub.fetch(address .. "/%61bc?x='$(touch%20x)'&[1-3]{a,b}", quiet) or ''))
      requests()
    end)

    needsServer('is a source of zoo.load', function()
      local zoo = require 'zoo'
      local options = { nc = 1, nz = 4, ngf = 2 }
      local net = zoo.make('dcgan_generator', options)
      torch.pt.save(served .. '/net.pth', net:stateDict())
      hub.fetch(address .. '/net.pth', quiet)
      options.sha256 = hub.sha256(served .. '/net.pth')
      local loaded = zoo.load('dcgan_generator', address .. '/net.pth', options)
      for name, value in pairs(loaded:stateDict()) do assert.is_true(torch.equal(net:stateDict()[name], value), name) end
    end)
  end)
end)
