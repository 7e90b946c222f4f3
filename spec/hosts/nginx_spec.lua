-- examples/hosts/nginx: Debian's nginx with its Lua module. That module's LuaJIT is OpenResty's, which Debian does not install beside the
-- other one: MT_NGINX_ROOT names a folder in which the packages nginx, libnginx-mod-http-ndk, libnginx-mod-http-lua, libluajit2-5.1-2,
-- lua-resty-core and lua-resty-lrucache are unpacked (apt-get download, dpkg -x). Without it, or under a sanitizer, nothing is tested.
local files = require 'spec.support.files'
local shell = require 'spec.support.shell'

local root, preset = os.getenv 'MT_NGINX_ROOT', os.getenv 'MT_PRESET' or 'release'

local client = [[
import socket, sys
def get(path):
    s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(b'GET %s HTTP/1.0\r\n\r\n' % path.encode())
    data = b''.join(iter(lambda: s.recv(4096), b''))
    head, body = data.split(b'\r\n\r\n', 1)
    return head.split()[1].decode() + ' ' + body.decode().strip()
for path in sys.argv[2:]: print(get(path))
]]

describe('examples/hosts/nginx', function()
  local folder, script
  setup(function()
    if not root or preset ~= 'release' then return end
    folder, script = os.tmpname(), os.tmpname()
    os.remove(folder)
    files.write(script, client)
    os.execute(([[cd /; PROGRAM=%s/usr/sbin/nginx MODULES=%s/usr/lib/nginx/modules RESTY=%s/usr/share/lua/5.1 LIB=%s/build/release/lib \
      LD_LIBRARY_PATH=%s/usr/lib/x86_64-linux-gnu timeout 120 %s/examples/hosts/nginx/serve %s >%s.log 2>&1 &]]):format(root, root, root,
      os.getenv 'PWD', root, os.getenv 'PWD', folder, folder))
    for _ = 1, 100 do
      if os.execute(('test -S %s/nginx.sock'):format(folder)) == 0 then break end
      os.execute 'sleep 0.1'
    end
  end)
  teardown(function()
    if folder then os.execute(('kill $(cat %s/nginx.pid); sleep 0.5; rm -rf %s %s.log %s'):format(folder, folder, folder, script)) end
  end)

  local function get(...) return (shell(("python3 %s %s/nginx.sock '%s'"):format(script, folder, table.concat({ ... }, "' '")))) end

  it('answers from a network that was loaded before the fork, alike in every worker', function()
    if not folder then return pending 'MT_NGINX_ROOT is not set' end
    local paths = {}
    for i = 1, 50 do paths[i] = '/predict?x=1,2,3,4,5,6,7,8' end
    local first, count = get(unpack(paths)):match '^(200 [%d. ]+)\n', 0
    for line in get(unpack(paths)):gmatch '[^\n]+' do
      assert.equal(first, line)
      count = count + 1
    end
    assert.equal(50, count)
  end)

  it('hands long work to a thread, and says what is wrong with a request', function()
    if not folder then return pending 'MT_NGINX_ROOT is not set' end
    assert.equal('200 residual below 1e-9: true\n', get '/solve?n=300')
    assert.equal('400 n: expected a whole number from 1 to 2000\n', get '/solve?n=many')
    assert.equal('400 x: "b", expected a number\n400 x: 2 numbers, expected 8\n', get('/predict?x=b', '/predict?x=1,2'))
  end)
end)
