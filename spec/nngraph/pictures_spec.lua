-- Networks drawn: by themselves, and when a node fails.
local torch, nn, paths = require 'torch', require 'nn', require 'paths'
local graph, nngraph, files = require 'graph', require 'nngraph', require 'spec.support.files'
local program = require 'spec.support.program'

local function made()
  local x, y = nn.Identity()(), nn.Identity()()
  local h = nn.Linear(3, 2)(x):annotate { name = 'hidden', graphAttributes = { shape = 'box' } }
  return nn.gModule({ x, y }, { nn.CAddTable() { h, y } })
end

describe('a picture of a network', function()
  it('has its nodes with modules, names and sizes', function()
    local net = made()
    net:forward { torch.ones(4, 3), torch.ones(4, 2) }
    local text = net.fg:todot 'net'
    assert.is_truthy(text:find('label="hidden\\nnn.Linear(3 -> 2)\\ninput = torch.DoubleTensor [4, 3]", shape=box]', 1, true), text)
    local simple = nngraph.simple_print.todot(net.fg, 'net')
    assert.is_truthy(simple:find('label="nn.CAddTable"', 1, true) and simple:find('label="hidden"', 1, true))
    assert.is_nil(simple:find 'input =')
    if not paths.findprogram 'dot' then pending "Graphviz's dot is not installed" end
    local name = paths.tmpname()
    graph.dot(net.fg, 'net', name)
    nngraph.simple_print.dot(net.fg, 'net', name .. 's')
    assert.equal(#net.fg.nodes, select(2, files.read(name .. '.svg'):gsub('class="node"', '')))
    assert.is_truthy(files.read(name .. 's.svg'):find('>hidden<', 1, true))
    for _, ending in ipairs { '.svg', '.dot', 's.svg', 's.dot' } do os.remove(name .. ending) end
  end)

  it('is drawn of a node that fails, in red', function()
    local folder = paths.tmpname()
    paths.mkdir(folder)
    local here = paths.cwd()
    local script = program.script(([[
      require 'nngraph'
      local x, y = nn.Identity()(), nn.Identity()()
      local net = nn.gModule({ x, y }, { nn.CAddTable() { nn.Linear(3, 2)(x), y } })
      net:forward { torch.ones(4, 3), torch.ones(4, 2) }
      pcall(net.forward, net, { torch.ones(4, 5), torch.ones(4, 2) })
      print(paths.filep 'nngraph_2in_1out.dot')
      nngraph.setDebug(true)
      net.name = %q
      print(pcall(net.forward, net, { torch.ones(4, 5), torch.ones(4, 2) }))
      net.name = nil
      pcall(net.forward, net, { torch.ones(4, 5), torch.ones(4, 2) })
    ]]):format(folder .. '/named'))
    local pipe = io.popen(("cd '%s' && '%s/%s' %s 2>&1"):format(folder, here, program.path, script))
    local said = pipe:read '*a'
    pipe:close()
    os.remove(script)
    assert.is_truthy(said:find '^false\t' and said:find('In 2 module of nn.gModule', 1, true), said)
    for _, name in ipairs { 'named', 'nngraph_2in_1out' } do
      local text = files.read(('%s/%s.dot'):format(folder, name))
      local red = text:match '[^\n]*%f[%w]color=red[^\n]*'
      assert.is_truthy(red:find 'nn.Linear')
      assert.equal(1, select(2, text:gsub('%f[%w]color=red', '')))
      assert.equal(paths.findprogram 'dot' ~= nil, paths.filep(('%s/%s.svg'):format(folder, name)))
    end
    paths.rmall(folder, 'yes')
  end)

  it('is printed where there is no screen', function()
    local script = program.script [[
      require 'nngraph'
      local x = nn.Identity()()
      nngraph.display(nn.gModule({ x }, { nn.Tanh()(x) }))
      print(pcall(nngraph.display, 3))
    ]]
    local output = program.run({ script }, nil, 'DISPLAY= WAYLAND_DISPLAY=')
    os.remove(script)
    assert.is_truthy(output:find '^digraph G {' and output:find 'nn.Tanh')
    assert.is_truthy(output:find 'nngraph.display: net: number, expected an nn.gModule')
  end)
end)
