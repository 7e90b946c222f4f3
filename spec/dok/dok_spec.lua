-- Descriptions of arguments, help, and Markdown as HTML.
local torch, dok = require 'torch', require 'dok'
local program = require 'spec.support.program'

local function described(...)
  return dok.unpack({ ... }, 'scale', 'scales a picture', { arg = 'src', type = 'torch.Tensor', help = 'the picture', req = true },
    { arg = 'width', type = 'number', help = 'pixels', default = 3 }, { arg = 'height', type = 'number', defaulta = 'width' })
end

-- Returns the output of f, and its results.
local function printed(f, ...)
  local kept, lines = print, {}
  rawset(_G, 'print', function(...) lines[#lines + 1] = table.concat({ ... }, '\t') end)
  local results = { pcall(f, ...) }
  rawset(_G, 'print', kept)
  return table.concat(lines, '\n'), unpack(results)
end

describe('dok.unpack', function()
  it('takes arguments by position and by name', function()
    local x = torch.ones(2)
    for _, given in ipairs { { x, 5 }, { { src = x, width = 5 } } } do
      local args, src, width, height = described(unpack(given))
      assert.same({ 5, 5 }, { width, height })
      assert.equal(x, src)
      assert.equal(x, args.src)
      assert.same({ 5, 5, 5 }, { args[2], args.height, args[3] })
      assert.is_truthy(args.usage:find 'scales a picture')
    end
    assert.same({ 3, 7 }, { select(3, described(x, nil, 7)) })
    assert.same({ 1, 2 }, (select(2, described { 1, 2 })))      -- a list is a value
    assert.is_false(select(2, dok.unpack({ false }, 'f', 'd', { arg = 'on', default = true })))
  end)

  it('prints what is missing', function()
    local said, good, message = printed(described, nil, 5)
    assert.is_false(good)
    assert.is_truthy(message:find 'error$')
    assert.is_truthy(said:find 'missing argument: src' and said:find 'REQUIRED')
  end)
end)

describe('dok.usage', function()
  it('lists the arguments, in colours or without', function()
    local text = dok.usage('f', 'does it', 'f(1)', { type = 'number', help = 'how often', req = true })
    for _, part in ipairs { 'f', 'does it', 'f%(1%)', 'number', 'how often', 'REQUIRED', '\27%[' } do
      assert.is_truthy(text:find(part), part)
    end
    dok.dontusecolors()
    local plain = dok.usage('f', 'does it', 'f(1)', { arg = 'n' })
    dok.usecolors()
    assert.is_nil(plain:find '\27')
  end)
end)

describe('dok.error', function()
  it('names the domain', function()
    local _, message = pcall(dok.error, 'no such file', 'image.load')
    assert.is_truthy(message:find '<image.load> no such file' and message:find '\27%[')
    dok.dontusecolors()
    local _, plain = pcall(dok.error, 'no such file')
    dok.usecolors()
    assert.is_truthy(plain:find 'no such file$')
  end)
end)

describe('help', function()
  it('tells about names, functions, classes and packages', function()
    require 'nn'
    assert.is_truthy(dok.help('torch.add', true):find 'add')
    assert.is_truthy(dok.help(torch.sum, true):find 'sum')
    assert.is_truthy(dok.help(require 'nn'.Linear(2, 2), true):find 'nn.Linear')
    assert.is_truthy(dok.help('xlua', true):find 'progress bar')
    assert.is_truthy(dok.help('no.such', true):find 'no documentation of no.such')
    assert.is_truthy(dok.help(nil, true):find "help 'torch.add'")
    assert.is_truthy(printed(_G.help, 'paths.concat'):find 'concat')
    assert.is_nil(dok.refresh())
  end)

  it('is a global of th, and shows pages', function()
    local output = program.evaluate "io.write(help('torch.add', true)) browse 'nngraph'"
    assert.is_truthy(output:find 'torch.add' and output:find '# nngraph')
  end)
end)

describe('dok.markdown2html', function()
  for text, html in pairs {
    ['# A `b`'] = '<h1>A <code>b</code></h1>\n',
    ['one\ntwo\n\nthree'] = '<p>one\ntwo</p>\n<p>three</p>\n',
    ['**a** *b* 2*3'] = '<p><strong>a</strong> <em>b</em> 2*3</p>\n',
    ['a < b & `*c*`'] = '<p>a &lt; b &amp; <code>*c*</code></p>\n',
    ['[t *x*](http://a/b_c*d*)'] = '<p><a href="http://a/b_c*d*">t <em>x</em></a></p>\n',
    ['![alt](a.png)'] = '<p><img src="a.png" alt="alt"></p>\n',
    ['- a\n- b\n  c'] = '<ul>\n<li>a</li>\n<li>b c</li>\n</ul>\n',
    ['1. a\n2. b'] = '<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n',
    ['```lua\nx = "<"\n```'] = '<pre><code class="language-lua">x = "&lt;"\n</code></pre>\n',
    ['> a\n> b'] = '<blockquote>\n<p>a\nb</p>\n</blockquote>\n',
    ['| a | b |\n|---|---|\n| 1 | `2` |'] =
      '<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td><code>2</code></td></tr>\n</table>\n',
    ['a\n# b'] = '<p>a</p>\n<h1>b</h1>\n',
    [''] = '',
  } do
    it(('of %q'):format(text), function() assert.equal(html, dok.markdown2html(text)) end)
  end
end)
