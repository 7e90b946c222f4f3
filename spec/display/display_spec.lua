-- The messages of display's functions to a server, which runs in this process while a program shows its windows.
local serving, sockets, program = require 'display.serving', require 'torch.sockets', require 'spec.support.program'
local torch = require 'torch'
local json = require 'torch.file.json'

-- Runs a program; returns the messages that it sent, as tables and texts, and its output.
local function messagesOf(code)
  local server = serving.open('127.0.0.1', 0, function() end)
  local stream = assert(sockets.connect('127.0.0.1', server.port, 5))
  sockets.send(stream, 'GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n', 0)
  for _ = 1, 4 do server:step(0.02) end
  local output = os.tmpname()
  local script = program.script(([[
    local display = require 'display'
    display.configure { port = %d }
    %s
    print 'done'
  ]]):format(server.port, code))
  local pipe = io.popen(('%s %s >%s 2>&1 & echo $!'):format(program.path, script, output))
  pipe:read '*l'
  pipe:close()
  local files, text, printed = require 'spec.support.files', '', ''
  for _ = 1, 3000 do
    server:step(0.01)
    printed = files.read(output)
    if printed:find 'done\t\n$' or printed:find '^th: ' then break end
  end
  for _ = 1, 4 do server:step(0.01) end
  local ready = sockets.wait({ { fd = stream } }, 0)
  while ready[stream] do
    text = text .. sockets.receive(stream)
    server:step(0)
    ready = sockets.wait({ { fd = stream } }, 0.02)
  end
  sockets.close(stream)
  server:close()
  os.remove(output)
  os.remove(script)
  local messages, texts = {}, {}
  for body in text:gmatch 'data: ([^\n]*)\n' do
    messages[#messages + 1], texts[#texts + 1] = json.decode(body), body
  end
  return messages, printed:gsub('done\t\n$', ''), texts
end

-- The picture of a message, as floats of 0..1.
local function pictureOf(message)
  local base64 = message.content.src:match '^data:image/jpeg;base64,(.*)$'
  local name = os.tmpname()
  local pipe = io.popen('base64 -d >' .. name, 'w')
  pipe:write(base64)
  pipe:close()
  local picture = require 'image'.loadJPG(name)
  os.remove(name)
  return picture
end

describe('display', function()
  it('sets no globals', function()
    local _, printed = messagesOf [[
      display.plot({ { 1, 2 } })
      print(rawget(_G, 'display'), rawget(_G, 'M'), rawget(_G, 'options'))
    ]]
    assert.equal('nil\tnil\tnil\t\n', printed)
  end)

  it('sends pictures scaled to 0..1', function()
    local messages, printed = messagesOf [[
      local ramp = torch.range(0, 63):view(8, 8)
      local config = { title = 'ramp', width = 200 }
      config.win = display.image(ramp, config)
      print(config.win:match '^pane_%d+$' == config.win, torch.getdefaulttensortype(), ramp[8][8])
      print(display.image(torch.ones(3, 8, 8), { win = 7 }))
      display.image(ramp, { min = 0, max = 126 })
      display.image(ramp:view(1, 8, 8), { win = config.win })
    ]]
    assert.equal('true\ttorch.DoubleTensor\t63\t\n7\t\n', printed)
    assert.equal(4, #messages)
    local first = messages[1]
    assert.equal('pane image ramp', table.concat({ first.command, first.type, first.title }, ' '))
    assert.equal(200, first.content.width)
    assert.same({}, first.content.labels)
    local ramp = (torch.range(0, 63):view(8, 8) / 63):float()
    assert.is_true((pictureOf(first):view(8, 8) - ramp):abs():max() < 0.06)
    assert.equal(7, messages[2].id)
    assert.equal(0, pictureOf(messages[2]):max())                  -- one value only
    assert.near(0.5, pictureOf(messages[3]):max(), 0.03)
    assert.equal(first.id, messages[4].id)
  end)

  it('sends lists of pictures on one canvas', function()
    local messages, printed = messagesOf [[
      local function flat(value, height, width) return torch.FloatTensor(height, width):fill(value) end
      local list, opts = { flat(0, 8, 8), flat(1, 16, 8), flat(1, 8, 16) }, { labels = { 'a', 'b', 'c' } }
      display.images(list, opts)
      print(#list, list[1]:dim(), opts._labels)
      display.image(torch.rand(5, 8, 8), { nperrow = 5 })
      display.image(torch.rand(4, 3, 8, 8))
      display.image({ flat(0, 8, 8), torch.ones(3, 8, 8) })
      display.images({ flat(10, 8, 8):narrow(2, 1, 8):cmul(torch.range(1, 64):float():view(8, 8)), flat(1, 8, 8) }, { normalize = true })
      print(torch.getdefaulttensortype())
    ]]
    assert.equal('3\t2\tnil\t\ntorch.DoubleTensor\t\n', printed)
    local whole = pictureOf(messages[1])
    assert.same({ 1, 32, 32 }, whole:size():totable())
    -- Cells of 16 x 16, in two columns; uncovered parts are grey.
    local expected = torch.FloatTensor(32, 32):fill(0.5)
    expected:narrow(1, 1, 8):narrow(2, 1, 8):fill(0)
    expected:narrow(1, 1, 16):narrow(2, 17, 8):fill(1)
    expected:narrow(1, 17, 8):narrow(2, 1, 16):fill(1)
    assert.is_true((whole[1] - expected):abs():max() < 0.1)
    assert.same({ { 0, 0, 'a' }, { 0.5, 0, 'b' }, { 0, 0.5, 'c' } }, messages[1].content.labels)
    assert.same({ 1, 8, 40 }, pictureOf(messages[2]):size():totable())
    assert.same({ 3, 16, 16 }, pictureOf(messages[3]):size():totable())
    assert.same({ 3, 8, 16 }, pictureOf(messages[4]):size():totable())
    assert.is_true(pictureOf(messages[5]):max() > 0.95)
  end)

  it('sends plots as rows and options', function()
    local messages, _, texts = messagesOf [[
      local config = { title = 'loss', labels = { 'epoch', 'train' }, ylabel = 'nats', logscale = true }
      config.win = display.plot({ { 1, 0.5 }, { 2, 0 / 0 }, { 3, 1 / 0 } }, config)
      assert(config.file == nil and config.xlabel == nil)
      display.plot(torch.range(1, 6):view(3, 2), { win = 'w', xlabel = 'time', labels = { 'a', 'b' } })
      display.plot({ torch.Tensor { 1, 2 }, { 2, { 3, 0.5 } } }, { errorBars = true })
      display.plot({})
    ]]
    local content = messages[1].content
    assert.equal('loss', messages[1].title)
    assert.equal('loss', content.title)
    assert.equal('epoch', content.xlabel)
    assert.equal('nats', content.ylabel)
    assert.is_true(content.logscale)
    assert.is_nil(content.win)
    assert.same({ 'epoch', 'train' }, content.labels)
    assert.truthy(texts[1]:find('"file":[[1,0.5],[2,null],[3,null]]', 1, true))
    assert.equal('w', messages[2].id)
    assert.equal('time', messages[2].content.xlabel)
    assert.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, messages[2].content.file)
    assert.same({ { 1, 2 }, { 2, { 3, 0.5 } } }, messages[3].content.file)
    assert.same({}, messages[4].content.file)
  end)

  it('sends texts and sounds', function()
    local messages, printed = messagesOf [[
      display.text('<b>bold</b>\n"quoted" \\ ü \1', { title = 't' })
      local rate = 8000
      display.audio(torch.range(1, 800):div(8):sin():mul(0.5):view(-1, 1), { rate = rate })
      local name = os.tmpname()
      os.remove(name)
      local file = io.open(name .. '.mp3', 'wb')
      file:write 'bytes'
      file:close()
      display.audio(name .. '.mp3')
      os.remove(name .. '.mp3')
      print(select('#', display.audio('none.txt')))
      print(select('#', display.audio('none.wav')))
    ]]
    assert.equal('<b>bold</b>\n"quoted" \\ ü \1', messages[1].content)
    assert.truthy(messages[2].content:find '^data:audio/%w+;base64,')
    assert.equal('data:audio/mp3;base64,Ynl0ZXM=', messages[3].content)
    assert.equal('display.audio: none.txt is no mp3, wav, ogg or aac file\t\n0\t\n'
      .. 'display.audio: none.wav: No such file or directory\t\n0\t\n', printed)
  end)

  it('gives each window an id of its own, and takes no random numbers', function()
    local messages, printed = messagesOf [[
      math.randomseed(3)
      local first = math.random()
      math.randomseed(3)
      local seen = {}
      for i = 1, 20 do seen[display.text 'x'] = true end
      local count = 0
      for _ in pairs(seen) do count = count + 1 end
      print(count, math.random() == first)
    ]]
    assert.equal(20, #messages)
    assert.equal('20\ttrue\t\n', printed)
  end)

  it('goes on without a server', function()
    local display, kept = require 'display', require 'display'.url
    assert.equal('http://localhost:8000/events', kept)
    display.configure { port = 1 }
    assert.equal('http://127.0.0.1:1/events', display.url)
    assert.equal('id', display.text('x', { win = 'id' }))
    display.url = 'nonsense'
    assert.equal('id', display.text('x', { win = 'id' }))
    display.configure { hostname = '::1', port = 9 }
    assert.equal('http://[::1]:9/events', display.url)
    display.url = kept
    assert.error_matches(function() display.configure() end, 'display.configure: config: a nil, expected a table')
  end)

  it('names the value that it refuses', function()
    local display = require 'display'
    assert.error_matches(function() display.image(3) end, 'display.image: img: a number')
    assert.error_matches(function() display.image(torch.ones(3)) end, 'display.image: img: .*3.*expected H x W')
    assert.error_matches(function() display.image(torch.ones(2, 2), 3) end, 'display.image: opts: a number, expected a table')
    assert.error_matches(function() display.images {} end, 'display.images: list: no pictures')
    assert.error_matches(function() display.images { torch.ones(2, 4, 4) } end, 'display.images: img: 2 planes, expected 1 or 3')
    assert.error_matches(function() display.plot(3) end, 'display.plot: data: a number')
    assert.error_matches(function() display.plot { 1, 2 } end, 'display.plot: data: row 1 is a number')
    assert.error_matches(function() display.text {} end, 'display.text: text: a table')
  end)
end)

describe('display.configure with a folder', function()
  local display, files = require 'display', require 'spec.support.files'
  local folder
  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    display.configure { folder = folder }
  end)
  after_each(function()
    os.execute('rm -rf ' .. folder)
    display.configure { hostname = 'localhost', port = 8000 }
  end)

  it('writes windows as files, over former ones', function()
    assert.equal('p', display.image(torch.range(1, 64):view(8, 8), { win = 'p' }))
    assert.same({ 1, 8, 8 }, require 'image'.loadJPG(folder .. '/p.jpg'):size():totable())
    local rows = { { 1, 2, { 3, 1 } }, { 2, 0 / 0, { 4, 1 } } }
    display.plot(rows, { win = 'curve', title = 'A & B', labels = { 'x', 'one', 'two' }, errorBars = true })
    local svg = files.read(folder .. '/curve.svg')
    assert.truthy(svg:find '^<svg' or svg:find '^<%?xml')
    for _, word in ipairs { 'A &amp; B', 'one', 'two', '>x<' } do assert.truthy(svg:find(word, 1, true), word) end
    display.text('<b>one</b>', { win = 'text', title = 'a < b %d' })
    display.text('<b>two</b>', { win = 'text', title = 'a < b %d' })
    local page = files.read(folder .. '/text.html')
    assert.truthy(page:find('<b>two</b>', 1, true))
    assert.truthy(page:find('<title>a &lt; b %d</title>', 1, true))
    display.audio(torch.zeros(100, 1), { win = 'sound' })
    assert.truthy(io.open(folder .. '/sound.ogg') or io.open(folder .. '/sound.wav'))
  end)

  it('writes into its folder only', function()
    display.text('x', { win = '../../outside/of' })
    assert.truthy(io.open(folder .. '/__.._outside_of.html') or io.open(folder .. '/_.._outside_of.html'))
  end)
end)
