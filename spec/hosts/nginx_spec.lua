-- examples/hosts/nginx: Debian's nginx with its Lua module (apt-get install nginx libnginx-mod-http-lua). That module's LuaJIT is
-- OpenResty's, which Debian does not install beside the other one: MT_NGINX_ROOT names a folder in which the packages nginx,
-- libnginx-mod-http-ndk, libnginx-mod-http-lua, libluajit2-5.1-2, lua-resty-core and lua-resty-lrucache are unpacked (apt-get download,
-- dpkg -x). Without either, or under a sanitizer, nothing is tested.
local torch, onnx = require 'torch', require 'onnx'
local files = require 'spec.support.files'
local shell = require 'spec.support.shell'
local th = require('spec.support.program').path

local root, preset = os.getenv 'MT_NGINX_ROOT' or '', os.getenv 'MT_PRESET' or 'release'
local installed = io.open(root .. '/usr/lib/nginx/modules/ngx_http_lua_module.so')
if installed then installed:close() end

local client = [[
import socket, sys
def ask(line):
    path, _, body = line.partition(' ')
    head = b'%s %s HTTP/1.0\r\nContent-Length: %d\r\n\r\n' % (b'POST' if body else b'GET', path.encode(), len(body))
    s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(head + body.encode())
    data = b''.join(iter(lambda: s.recv(4096), b''))
    head, body = data.split(b'\r\n\r\n', 1)
    return head.split()[1].decode() + ' ' + body.decode().strip()
for line in sys.stdin.read().splitlines(): print(ask(line))
]]

describe('examples/hosts/nginx', function()
  if preset ~= 'release' then return pending 'a sanitizer is not in nginx' end
  if not installed then return pending 'nginx with its Lua module is not installed' end

  local folder, example
  setup(function()
    folder = files.folder()
    example = folder .. '/example'
    files.write(folder .. '/client.py', client)
    local function must(command)
      local output, status = shell(command)
      assert(status == 0, output)
    end
    must(('%s examples/hosts/nginx/export.lua %s/model.onnx 2048'):format(th, folder))
    must(('cc -std=c99 -O1 -Wall -Wextra -Werror examples/hosts/nginx/load.c -lpthread -o %s/load'):format(folder))
    local environment = root == '' and '' or ('PROGRAM=%s/usr/sbin/nginx MODULES=%s/usr/lib/nginx/modules RESTY=%s/usr/share/lua/5.1 \
      LD_LIBRARY_PATH=%s/usr/lib/x86_64-linux-gnu'):gsub('%%s', root)
    os.execute(('cd /; %s timeout 120 %s/examples/hosts/nginx/serve %s %s/model.onnx >%s/log 2>&1 &'):format(environment, os.getenv 'PWD',
      example, folder, folder))
    for _ = 1, 100 do
      if os.execute(('test -S %s/nginx.sock'):format(example)) == 0 then break end
      os.execute 'sleep 0.1'
    end
  end)
  teardown(function() os.execute(('kill $(cat %s/nginx.pid); sleep 0.5; rm -rf %s'):format(example, folder)) end)

  -- Each line is a path, and a body behind a blank.
  local function ask(...)
    files.write(folder .. '/lines', table.concat({ ... }, '\n') .. '\n')
    local output = shell(('python3 %s/client.py %s/nginx.sock <%s/lines'):format(folder, example, folder))
    return output
  end

  it('answers with the scores of the model, alike in every worker', function()
    torch.manualSeed(3)
    local x = torch.rand(1, 784):mul(100):floor():div(100):float()
    local expected, numbers, lines = onnx.load(folder .. '/model.onnx'):run(x), {}, {}
    for i, number in ipairs(x:view(-1):totable()) do numbers[i] = ('%.2f'):format(number) end
    for i = 1, 30 do lines[i] = '/score ' .. table.concat(numbers, ',') end
    local first, count
    for line in ask(unpack(lines)):gmatch '[^\n]+' do
      first, count = first or line, (count or 0) + 1
      assert.equal(first, line)
    end
    assert.equal(30, count)
    local i = 0
    for number in assert(first:match '^200 (.*)$', first):gmatch '%S+' do
      i = i + 1
      assert.is_true(math.abs(tonumber(number) - expected[1][i]) < 1e-5, number)
    end
    assert.equal(10, i)
  end)

  it('hands long work to a thread, and says what is wrong with a request', function()
    assert.equal('200 residual below 1e-9: true\n', ask '/solve?n=300')
    assert.equal('400 n: expected a whole number from 1 to 2000\n', ask '/solve?n=many')
    assert.equal('400 "b", expected a number\n400 2 numbers, expected 784\n400 0 numbers, expected 784\n',
      ask('/score 1,b', '/score 1,2', '/score'))
  end)

  it('serves connections that stay open, and says how long replies took', function()
    local bytes = require('ffi').string(torch.rand(784):float():data(), 784 * 4)
    files.write(folder .. '/body', bytes)
    local load = ('%s/load %s/nginx.sock'):format(folder, example)
    local function serves(arguments)
      local output, status = shell(('%s %s %s/body'):format(load, arguments, folder))
      assert.matches('^400 requests, 0 failed, %d+ a second: p50 [%d.]+ ms, p99 [%d.]+ ms, longest [%d.]+ ms\n$', output)
      assert.equal(0, status)
    end
    serves '4 400 0'
    serves '4 400 2000'
    files.write(folder .. '/body', 'short')
    local output, status = shell(('%s 1 3 0 %s/body'):format(load, folder))
    assert.matches('^3 requests, 3 failed', output)
    assert.equal(1, status)
  end)

  it('has the weights in memory once', function()
    local size, processes = #files.read(folder .. '/model.onnx.data') / 1024, 0      -- KiB
    local mapped = 0
    for pid in shell(('cat %s/nginx.pid; pgrep -P $(cat %s/nginx.pid)'):format(example, example)):gmatch '%d+' do
      processes = processes + 1
      for part in (files.read(('/proc/%s/smaps'):format(pid)) .. '\n0-0 '):gmatch '%x+%-%x+ [^\n]*model%.onnx%.data\n(.-)\n%x+%-%x+ ' do
        mapped = mapped + tonumber(part:match '\nPss:%s+(%d+)')
      end
    end
    assert.equal(3, processes)
    assert.is_true(mapped <= size + 64, ('%d KiB of %d'):format(mapped, size))
    for private in ask('/memory', '/memory', '/memory'):gmatch 'private (%d+)' do      -- workers have not copied what they share
      assert.is_true(tonumber(private) < size / 2, ('%s KiB of %d'):format(private, size))
      processes = processes - 1
    end
    assert.equal(0, processes)
  end)
end)
