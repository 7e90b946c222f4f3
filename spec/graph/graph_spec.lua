-- Directed graphs: traversals, orders, Graphviz's language and pictures.
local torch, graph = require 'torch', require 'graph'
local files, paths = require 'spec.support.files', require 'paths'

-- Creates nodes, by letter, from edges such as 'ab ac bc'.
local function made(edges)
  local nodes = {}
  for from, to in edges:gmatch '(%w)(%w)' do
    nodes[from] = nodes[from] or graph.Node(from)
    nodes[to] = nodes[to] or graph.Node(to)
    nodes[from]:add(nodes[to])
  end
  return nodes
end

local function names(nodes)
  local list = {}
  for i, node in ipairs(nodes) do list[i] = node:label() end
  return table.concat(list)
end

local function called(method, node)
  local met = {}
  node[method](node, function(each) met[#met + 1] = each end)
  return names(met)
end

describe('graph.Node', function()
  it('is gone through depth first after all it leads to, and breadth first by distance', function()
    local nodes = made 'ab ac bd cd de'
    assert.equal('edbca', called('dfs', nodes.a))
    assert.equal('abcde', called('bfs', nodes.a))
    assert.equal('abcde', called('bfs', nodes.a))      -- no marks are left
  end)

  it('is called before and after its children', function()
    local nodes, before, after = made 'ab ac bc', {}, {}
    nodes.a:visit(function(node) before[#before + 1] = node end, function(node) after[#after + 1] = node end)
    assert.same({ 'abc', 'cba' }, { names(before), names(after) })
  end)

  it('keeps the marks of the traversals that set them', function()
    local nodes = made 'ab bc'
    assert.equal('bc', names(nodes.b:dfs_dirty(function() end)))
    assert.equal('a', called('bfs_dirty', nodes.a))
    assert.equal('', called('dfs_dirty', nodes.b))
  end)

  it('has a child once, singly or from a list', function()
    local a, b, c = graph.Node 'a', graph.Node 'b', graph.Node 'c'
    a:add(b)
    a:add { c, b }
    assert.equal('bc', names(a.children))
    assert.same({ 1, 2 }, { a.children[b], a.children[c] })
    assert.error_matches(function() graph.Graph():add(3) end,
      'graph.Graph.add: edge: number, expected a graph.Edge or a list of them')
    assert.error_matches(function() a:add(3) end, 'graph.Node.add: child: number, expected a node or a list of nodes')
  end)

  it('knows whether it leads back to itself', function()
    assert.is_false(made('ab ac bd cd').a:hasCycle())
    assert.is_true(made('ab bc ca').a:hasCycle())
    assert.is_true(made('ab bc cb').a:hasCycle())
  end)
end)

describe('graph.Graph', function()
  local g = made('ab ac bd cd').a:graph()

  it('has the edges that a node leads to', function()
    assert.same({ 4, 4 }, { #g.edges, #g.nodes })
    assert.equal('a', names(g:roots()))
    assert.equal('d', names(g:leaves()))
    local single = graph.Node 'x':graph()
    assert.same({ 0, 1 }, { #single.edges, #single.nodes })
  end)

  it('sorts nodes so that edges lead forward', function()
    for _, edges in ipairs { 'ab ac bd cd', 'ad ab bc cd ae ef fd', 'zy yx xw zw' } do
      local nodes = made(edges)
      local whole = graph.Graph()
      for from, to in edges:gmatch '(%w)(%w)' do whole:add(graph.Edge(nodes[from], nodes[to])) end
      local order, reversed, roots = whole:topsort()
      local at = {}
      for i, node in ipairs(order) do at[node] = i end
      assert.equal(#whole.nodes, #order)
      for _, edge in ipairs(whole.edges) do assert.is_true(at[edge.from] < at[edge.to]) end
      assert.equal(#whole.edges, #reversed.edges)
      assert.equal(names(whole:leaves()), names(roots))
    end
    assert.error_matches(function() made('ab bc ca').a:graph():topsort() end, 'Graph has cycles')
    assert.error_matches(function() made('ab bc cb').a:graph():topsort() end, 'Graph has cycles')
  end)

  it('is copied and reversed with the same data in other nodes', function()
    local reversed, map = g:reverse()
    assert.same({ 'd', 'a' }, { names(reversed:roots()), names(reversed:leaves()) })
    for node, twin in pairs(map) do
      assert.equal(node.data, twin.data)
      assert.are_not.equal(node, twin)
    end
    local weighed = graph.Graph()
    weighed:add { graph.Edge(graph.Node 'a', graph.Node 'b', 3) }
    assert.equal(3, weighed:clone().edges[1].weight)
    assert.equal('a', names(weighed:clone():roots()))
    assert.is_false(weighed:hasCycle())
  end)

  it('may be a chain of any length', function()
    local first = graph.Node(1)
    local last = first
    for i = 2, 20000 do
      local node = graph.Node(i)
      last:add(node)
      last = node
    end
    assert.equal(20000, #first:graph():topsort())
    last:add(first)
    assert.is_true(first:hasCycle())
  end)

  it('can be saved and loaded', function()
    local name = paths.tmpname()
    torch.save(name, g)
    local read = torch.load(name)
    assert.equal(names(g:topsort()), names(read:topsort()))
  end)

  it('is written in Graphviz\'s language, with text quoted if necessary', function()
    local a, b = graph.Node 'say "a"\nand \\', graph.Node 'b'
    local small = graph.Graph()
    small:add(graph.Edge(a, b, 2))
    assert.equal(([[
digraph G {
labelloc="t";
label="a \"title\"";
node [shape = oval];
n%d [label="say \"a\"\nand \\"];
n%d [label="b"];
n%d -> n%d [label="2"];
}
]]):format(a.id, b.id, a.id, b.id), small:todot 'a "title"')
  end)
end)

describe('an attribute of a node', function()
  it('is quoted once, where it must be', function()
    local Drawn = torch.class('spec.DrawnNode', 'graph.Node', {})
    function Drawn:graphNodeAttributes() return self.data end
    function Drawn:label() return 'n' end
    local function attributes(given)
      local node = Drawn(given)
      return node:graph():todot():match '%[label="n"(.*)%];'
    end
    assert.equal('', attributes {})
    assert.equal(', shape=box', attributes { shape = 'box' })
    assert.equal(', style="x, y"', attributes { style = 'x, y' })
    assert.equal(', style="a b"', attributes { style = '"a b"' })
    assert.equal(', width=0.5', attributes { width = 0.5 })
    assert.equal(', style="node"', attributes { style = 'node' })
    assert.equal(', style="\\"a\\"; b=\\"c\\""', attributes { style = '"a"; b="c"' })
  end)
end)

describe('a picture of a graph', function()
  local function there()
    if not paths.findprogram 'dot' then pending "Graphviz's dot is not installed" end
  end
  local g = made('ab ac bd cd').a:graph()

  it('is written as SVG and in Graphviz\'s language under any file name', function()
    there()
    local folder = paths.tmpname() .. "it's; a $(folder)"
    paths.mkdir(folder)
    local name = folder .. '/-x "y"'
    graph.dot(g, 'letters', name)
    assert.equal(g:todot 'letters', files.read(name .. '.dot'))
    local svg = files.read(name .. '.svg')
    assert.is_truthy(svg:find('<svg', 1, true) and svg:find '>letters<')
    local nodes, edges = select(2, svg:gsub('class="node"', '')), select(2, svg:gsub('class="edge"', ''))
    assert.same({ 4, 4 }, { nodes, edges })
    graph.graphvizFile(g, 'neato', name .. '.png')
    assert.equal('\137PNG', files.read(name .. '.png'):sub(1, 4))
    paths.rmall(folder, 'yes')
  end)

  it('has positions: those above lead down', function()
    there()
    local positions, at = graph.graphvizLayout(g, 'dot'), {}
    assert.same({ 4, 2 }, positions:size():totable())
    for i, node in ipairs(g.nodes) do at[node:label()] = positions[i] end
    assert.is_true(at.a[2] > at.b[2] and at.b[2] == at.c[2] and at.c[2] > at.d[2])
    assert.is_true(at.b[1] ~= at.c[1])
    assert.is_true(math.abs(at.a[1] - (at.b[1] + at.c[1]) / 2) < 1)
  end)

  it('refuses invalid arguments', function()
    for message, f in pairs {
      ['graph.dot: g: number, expected a graph.Graph'] = function() graph.dot(3) end,
      ["graph.graphvizFile: algorithm: 'x; ls'"] = function() graph.graphvizFile(g, 'x; ls', 'a.png') end,
      ["graph.graphvizFile: filename: 'a' has no ending"] = function() graph.graphvizFile(g, 'dot', 'a') end,
      ['graph.dot: filename: /no/such/x.dot'] = function() graph.dot(g, 't', '/no/such/x') end,
      ['graph.graphvizLayout: algorithm: \'nil\''] = function() graph.graphvizLayout(g) end,
    } do
      local good, said = pcall(f)
      assert.is_false(good)
      assert.is_truthy(said:find(message, 1, true), said)
    end
  end)

  it('is the language alone where Graphviz is not installed', function()
    local program = require 'spec.support.program'
    local name = paths.tmpname()
    local script = program.script(([[
      local graph = require 'graph'
      local a = graph.Node 'a'
      a:add(graph.Node 'b')
      graph.dot(a:graph(), 'x', %q)
      print(paths.filep(%q), paths.filep(%q))
      print(pcall(graph.graphvizLayout, a:graph(), 'dot'))
    ]]):format(name, name .. '.dot', name .. '.svg'))
    local output, status, errors = program.run({ script }, nil, 'PATH=/nowhere DISPLAY=')
    os.remove(script)
    os.remove(name .. '.dot')
    assert.equal(0, status)
    assert.is_truthy(output:find '^true\tfalse')
    assert.is_truthy(output:find("graph.graphvizLayout: Graphviz's program dot is not installed", 1, true))
    assert.is_truthy(errors:find "Graphviz's program dot is not installed")
  end)
end)
