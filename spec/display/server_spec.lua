-- The server of display's page, by bytes on sockets.
local serving, sockets, http = require 'display.serving', require 'torch.sockets', require 'display.http'
local client, program = require 'display.client', require 'spec.support.program'

local server, log

local function steps(count)
  for _ = 1, count or 6 do server:step(0.001) end
end

local function connected()
  local fd = assert(sockets.connect('127.0.0.1', server.port, 5))
  steps(2)
  return fd
end

-- Sends a text while the server runs.
local function send(fd, text)
  local sent = 0
  while sent < #text do
    local chunk = text:sub(sent + 1, sent + 65536)
    local part = sockets.send(fd, chunk, 0)
    if not part then break end
    sent = sent + part
    steps(1)
  end
  steps()
end

-- Returns received data while the server runs, until the connection ends or `enough` returns true.
local function receiveAll(fd, enough)
  local got = ''
  for _ = 1, 20000 do
    steps(1)
    if sockets.wait({ { fd = fd } }, 0)[fd] then
      local text = sockets.receive(fd)
      if not text or text == '' then break end
      got = got .. text
      if enough and enough(got) then break end
    end
  end
  return got
end

-- The server's answer to a request, and its status.
local function answer(text)
  local fd = connected()
  send(fd, text)
  local got = receiveAll(fd)
  sockets.close(fd)
  return got, tonumber(got:match '^HTTP/1.1 (%d+) ')
end

local function request(method, path, fields, body)
  local host = fields and fields.host or '127.0.0.1:' .. server.port
  local lines = { ('%s %s HTTP/1.1'):format(method, path), 'Host: ' .. host }
  for name, value in pairs(fields or {}) do
    if name ~= 'host' then lines[#lines + 1] = name .. ': ' .. value end
  end
  if body then lines[#lines + 1] = 'Content-Length: ' .. #body end
  return table.concat(lines, '\r\n') .. '\r\n\r\n' .. (body or '')
end

describe("display's server", function()
  before_each(function()
    log = {}
    server = serving.open('127.0.0.1', 0, function(line) log[#log + 1] = line end)
  end)
  after_each(function() server:close() end)

  it('gives out its own page and nothing else', function()
    local got, status = answer(request('GET', '/'))
    assert.equal(200, status)
    assert.truthy(got:find('Content-Type: text/html', 1, true))
    assert.truthy(got:find("Content-Security-Policy: default-src 'none'; script-src 'self'", 1, true))
    local names = {}
    for name in got:gmatch '[sh][rr][ce]f?="([^":]+)"' do names[#names + 1] = name end
    assert.is_true(#names >= 3)
    for _, name in ipairs(names) do                                -- all that the page loads, and from here alone
      local _, found = answer(request('GET', '/' .. name))
      assert.equal(200, found, name)
    end
    assert.is_nil(got:find 'https?://')
    local same = answer(request('GET', '/index.html?x=1'))
    assert.equal(got, same)
    for _, path in ipairs { '/none', '/../server.lua', '/..%2fserver.lua', '//etc/passwd', '/page/index.html', '/etc/passwd',
      '/windows.js/..' } do
      local text, found = answer(request('GET', path))
      assert.equal(404, found, path)
      assert.truthy(text:find 'Not found!$')
    end
    assert.equal('GET /', log[1])
  end)

  it('passes messages on to all open streams', function()
    local streams = {}
    for i = 1, 2 do
      streams[i] = connected()
      send(streams[i], request('GET', '/events'))
    end
    for i = 1, 5 do
      local _, status = answer(request('POST', '/events', nil, '{"n":' .. i .. '}'))
      assert.equal(200, status)
    end
    answer(request('POST', '/events', nil, 'two\r\nlines'))
    for i = 1, 2 do
      local text = receiveAll(streams[i], function(got) return got:find 'lines\n\n' end)
      assert.truthy(text:find('^HTTP/1.1 200 OK\r\nContent%-Type: text/event%-stream\r\n'))
      local data = {}
      for line in text:gmatch 'data: ([^\n]*)\n' do data[#data + 1] = line end
      assert.same({ '{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}', '{"n":5}', 'two', 'lines' }, data)
      assert.truthy(text:find('data: two\ndata: lines\n\n', 1, true))
      sockets.close(streams[i])
    end
    steps()
    assert.equal(0, server.count)
    local late = connected()                                       -- nothing is kept
    send(late, request('GET', '/events'))
    assert.is_nil(receiveAll(late, function(got) return got:find '\n:\n\n' end):find '\ndata:')
    sockets.close(late)
  end)

  it('takes long messages in parts', function()
    local stream = connected()
    send(stream, request('GET', '/events'))
    local body = ('0123456789'):rep(120000)
    local fd = connected()
    send(fd, request('POST', '/events', nil, body))
    local got = receiveAll(stream, function(text) return #text > #body and text:find '\n\n$' end)
    assert.equal(body, got:match 'data: (%d+)\n\n$')
    assert.truthy(receiveAll(fd):find '^HTTP/1.1 200')
    sockets.close(fd)
    sockets.close(stream)
  end)

  it('knows GET and POST', function()
    for _, case in ipairs { { 'PUT', '/events' }, { 'DELETE', '/' }, { 'POST', '/' }, { 'HEAD', '/events' }, { 'OPTIONS', '/events' } } do
      local _, status = answer(request(case[1], case[2]))
      assert.equal(405, status)
    end
  end)

  it('refuses other names and pages of other sites', function()
    for _, host in ipairs { 'evil.example', 'evil.example:8000', 'localhost.evil.example', '127.0.0.1.evil.example', 'user@localhost',
      '' } do
      local _, status = answer(request('GET', '/', { host = host }))
      assert.equal(403, status, host)
    end
    for _, host in ipairs { 'localhost', 'LOCALHOST:' .. server.port, '127.0.0.1', '[::1]:' .. server.port } do
      local _, status = answer(request('GET', '/', { host = host }))
      assert.equal(200, status, host)
    end
    local own = 'http://127.0.0.1:' .. server.port
    for origin, expected in pairs { ['http://evil.example'] = 403, null = 403, [own] = 200, ['https://127.0.0.1:' .. server.port] = 403,
      ['http://127.0.0.1:1'] = 403 } do
      local _, status = answer(request('POST', '/events', { Origin = origin }, '{}'))
      assert.equal(expected, status, origin)
    end
    local _, status = answer 'GET / HTTP/1.1\r\n\r\n'
    assert.equal(403, status)
    _, status = answer 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n'
    assert.equal(400, status)
  end)

  it('limits what it reads', function()
    local _, status = answer(request('GET', '/' .. ('x'):rep(http.headBytes)))
    assert.equal(431, status)
    _, status = answer('GET / HTTP/1.1\r\nX: ' .. ('y'):rep(http.headBytes))
    assert.equal(431, status)
    for length, expected in pairs { [tostring(http.bodyBytes + 1)] = 413, ['99999999999999999999'] = 413, ['-1'] = 400, ['1x'] = 400 } do
      _, status = answer(('POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Length: %s\r\n\r\n'):format(length))
      assert.equal(expected, status)
    end
    _, status = answer 'POST /events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
    assert.equal(411, status)
    for _, text in ipairs { 'nonsense\r\n\r\n', 'GET /\r\n\r\n', 'GET / HTTP/2.0\r\nHost: localhost\r\n\r\n',
      'GET / HTTP/1.1\r\n: x\r\n\r\n',
      'GET / HTTP/1.1\r\nHost : localhost\r\n\r\n', '\0\1\2\r\n\r\n', 'GET /\27[2J HTTP/1.1\r\nHost: localhost\r\n\r\n' } do
      _, status = answer(text)
      assert.equal(400, status)
    end
  end)

  it('prints no control characters of a path', function()
    answer(request('GET', '/\195\164\255'))
    assert.equal('GET /???', log[1])
  end)

  it('survives connections that end early, and has a limit of them', function()
    local fds = {}
    for i = 1, 80 do
      fds[i] = assert(sockets.connect('127.0.0.1', server.port, 5))
      server:step(0)
    end
    assert.equal(64, server.count)
    for i = 1, 80 do sockets.close(fds[i]) end
    steps(20)
    assert.equal(0, server.count)
    local fd = connected()
    sockets.send(fd, 'POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf', 0)
    steps()
    sockets.close(fd)
    steps()
    local _, status = answer(request('GET', '/'))
    assert.equal(200, status)
  end)

  it('drops those that send nothing, and looks after streams', function()
    local fd, stream = connected(), connected()
    send(stream, request('GET', '/events'))
    local kept, later = server.clock, 20
    server.clock = function() return kept() + later end
    steps(2)
    assert.equal(2, server.count)
    -- A comment shows a browser that is gone.
    assert.truthy(receiveAll(stream, function(got) return got:find '\n:\n\n:\n\n$' end):find ':\n\n:\n\n$')
    later = 40
    steps(2)
    assert.equal(1, server.count)
    assert.equal('', receiveAll(fd))
    sockets.close(fd)
    sockets.close(stream)
  end)

  it('says where it can not listen', function()
    local function open(host, port) return function() serving.open(host, port, print) end end
    assert.error_matches(open('127.0.0.1', server.port), 'display.server: port %d+ of 127.0.0.1: Address already in use')
    assert.error_matches(open('no.such.host.invalid', 0), 'display.server: port 0 of no.such.host.invalid: ')
    assert.error_matches(function() require 'display.server'('127.0.0.1', 70000) end, 'expected a whole number from 0 to 65535')
  end)
end)

describe('th -ldisplay.start', function()
  it('listens on this machine, and prints each request', function()
    local output = os.tmpname()
    local pipe = io.popen(('%s -ldisplay.start 0 >%s 2>&1 & echo $!'):format(program.path, output))
    local id = pipe:read '*l'
    pipe:close()
    local files, port = require 'spec.support.files', nil
    for _ = 1, 500 do
      port = files.read(output):match 'server listening on http://127%.0%.0%.1:(%d+)\n'
      if port then break end
      os.execute 'sleep 0.02'
    end
    local status = port and client.post(('http://localhost:%s/events'):format(port), '{}')
    local other = port and program.run { '-ldisplay.start', port }
    os.execute('kill ' .. id)
    local printed = files.read(output)
    os.remove(output)
    assert.truthy(port, printed)
    assert.equal(200, status)
    assert.truthy(printed:find('\nPOST /events\n', 1, true))
    assert.is_nil(other:find 'listening')
  end)

  it('fails where it can not listen', function()
    local _, status, errors = program.run { '-ldisplay.start', '70000' }
    assert.equal(1, status)
    assert.truthy(errors:find 'expected a whole number from 0 to 65535')
  end)
end)
