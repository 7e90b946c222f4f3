-- The kernel for Jupyter, as a client of Jupyter's own meets it (client.py): all steps go to one kernel.
local cjson = require 'cjson'
local files = require 'spec.support.files'

local preset = os.getenv 'MT_PRESET' or 'release'
local kernel = ('build/%s/bin/moontorch-kernel'):format(preset)

local function exists(path) return os.execute(('test -e %s'):format(path)) == 0 end

local python = exists(kernel) and require 'spec.support.jupyter'.python()

if not python then
  describe('the kernel', function() pending 'needs xeus, and jupyter_client and nbclient of Python' end)
  return
end

local loop, goOn = 'while true do end', "print 'go' "
local steps = {
  order = { 'execute', [[
    ffi = require 'ffi'
    ffi.cdef 'int puts(const char *);'
    io.write('1 ') print '2' ffi.C.puts '3' os.execute 'echo 4'
    display '5' io.write '6'
    7, 8]] },
  middle = { 'execute', 'x = 5\nx\nprint(x)\nprint(x)\nx + 1' },
  silenced = { 'execute', 'x;' },
  former = { 'execute', '_1, _2' },
  errors = { 'execute', 'io.stderr:write "gone"' },
  declared = { 'execute', 'local deep = 21\nlocal function double(v) return 2 * v end' },
  known = { 'execute', 'double(deep)' },
  failing = { 'execute', 'print "before"\nlocal function inner() error "boom" end\ninner()' },
  syntax = { 'execute', 'print "not me"\nx = = 1' },
  hint = { 'execute', 'torch.concatenate()' },
  interrupted = { 'execute', goOn .. loop, { interrupt = { 'message', 'go' } } },
  signalled = { 'execute', goOn .. loop, { interrupt = { 'signal', 'go' } } },
  stubborn = { 'execute', goOn .. 'while true do pcall(function() ' .. loop .. ' end) end', { interrupt = { 'message', 'go', 2 } } },
  op = { 'execute', goOn .. 'local a = torch.rand(300, 300) while true do torch.sort(a, 1) end', { interrupt = { 'message', 'go' } } },
  shell = { 'execute', '$ echo go; sleep 1000', { interrupt = { 'message', 'go' } } },
  matrix = { 'execute', 'torch.Tensor {{1, 2.5}, {-3, 0/0}}' },
  vector = { 'execute', 'torch.LongTensor {7, 8}' },
  cube = { 'execute', 'torch.zeros(2, 2, 2)' },
  large = { 'execute', 'torch.range(1, 4000):view(100, 40)' },
  tracked = { 'execute', 'torch.ones(2):requiresGrad()' },
  module = { 'execute', "nn = require 'nn'\nnn.Sequential():add(nn.Linear(2, 3))" },
  figure = { 'execute', "plot = require 'plot'\nplot.plot(torch.Tensor {1, 3, 2});" },
  figures = { 'execute', 'plot.plot(torch.Tensor {1, 2})' },
  noFigure = { 'execute', '1' },
  picture = { 'execute', "image = require 'image'\nimage.display(torch.rand(3, 4, 5))" },
  progress = { 'execute', 'for i = 1, 1000 do xlua.progress(i, 1000) end' },
  bar = { 'execute', "for i in xlua.bar(3, 'steps') do end" },
  shown = { 'execute', "local s = display(notebook.html '<b>a</b>')\ns:update(notebook.html '<i>b</i>')\nnotebook.clear(true)" },
  own = { 'execute', "setmetatable({}, { __mime = function() return { ['text/latex'] = '$x$' } end })" },
  read = { 'execute', "local line = io.read()\nline .. '!'", { answer = 'Ada' } },
  asked = { 'execute', "notebook.input('who? ', true)", { answer = 'Eve' } },
  refused = { 'execute', 'io.read()' },
  expressions = { 'execute', 'x = 1', { user_expressions = { a = 'x + 1', b = 'error "no"', c = '(' } } },
  quiet = { 'execute', '40 + 2', { silent = true } },
  invalidText = { 'execute', "io.write '\\255\\254'" },
  leaving = { 'execute', 'exit' },
  field = { 'complete', 'torch.addm' },
  within = { 'complete', 'y = torch.addm(1, 2)', 14 },
  behindLetters = { 'complete', "é = 'ü' torch.addm" },
  localName = { 'complete', 'dee' },
  directive = { 'complete', 'x = 1\n:prof' },
  helped = { 'complete', '? torch.addm' },
  nothing = { 'complete', 'nothing.of.this' },
  beyond = { 'complete', 'torch.addm', 500 },
  op_help = { 'inspect', 'torch.lerp(1, 2)', 8 },
  argument = { 'inspect', 'torch.lerp(1, 2', 15 },
  value = { 'inspect', 'deep', 2 },
  unknown = { 'inspect', 'nothingOfThis', 3 },
  open = { 'is_complete', 'for i = 1, 2 do' },
  complete = { 'is_complete', 'x = 1\nx' },
  invalid = { 'is_complete', 'x = = 1' },
  history = { 'history', { hist_access_type = 'tail', n = 2 } },
  junk = { 'junk' },
  info = { 'info' },
  restart = { 'restart' },
  fresh = { 'execute', 'x' },
  notebook = { 'notebook', 'examples/notebook/tour.ipynb' },
  busy = { 'shutdown_while_busy', goOn .. 'while true do pcall(function() ' .. loop .. ' end) end' },
}

-- In this order, as `former` is about those before it, and `fresh` about the kernel after a restart.
local order = [[
  order middle silenced former errors declared known failing syntax hint interrupted signalled stubborn op shell matrix vector
  cube large tracked module figure figures noFigure picture progress bar shown own read asked refused expressions quiet
  invalidText leaving field within behindLetters localName directive helped nothing beyond op_help argument value unknown open
  complete invalid history junk info restart fresh notebook busy
]]

local function ask()
  local folder, list, names = os.tmpname(), {}, {}
  os.remove(folder)
  for name in order:gmatch '%S+' do
    list[#list + 1] = steps[name]
    names[#names + 1] = name
  end
  assert(os.execute(('%s --install --prefix %s >/dev/null'):format(kernel, folder)) == 0)
  files.write(folder .. '/steps', cjson.encode(list))
  local pipe = io.popen(('%s spec/notebook/client.py %s/share/jupyter/kernels < %s/steps'):format(python, folder, folder))
  local text = pipe:read '*a'
  pipe:close()
  os.execute('rm -r ' .. folder)
  local answers, found = cjson.decode(text), {}
  for i, name in ipairs(names) do found[name] = answers[i] end
  return found
end

describe('the kernel', function()
  local answers

  setup(function() answers = ask() end)

  -- The types of the messages that a cell has sent; streams as their text, which may be in several messages.
  local function sent(name)
    local list, last = {}, nil
    for _, message in ipairs(answers[name]) do
      local goesOn = last and message.type == 'stream' and last.name == message.name
      if goesOn then list[#list] = list[#list] .. message.text else list[#list + 1] = message.text or message.type end
      last = message
    end
    return list
  end

  local function find(name, kind)
    for _, message in ipairs(answers[name]) do
      if message.type == kind then return message end
    end
  end

  local function result(name) return find(name, 'execute_result').data end

  it('sends output of Lua, C code and child processes, in order with displayed objects', function()
    assert.same({ '1 2\t\n3\n4\n', 'display_data', '6', 'execute_result', 'execute_reply' }, sent 'order')
    assert.equal('7\t8', result 'order'['text/plain'])
  end)

  it('shows expressions between others, and of calls only the last', function()
    assert.same({ 'display_data', '5\t\n5\t\n', 'execute_result', 'execute_reply' }, sent 'middle')
    assert.equal('6', result 'middle'['text/plain'])
    assert.same({ 'execute_reply' }, sent 'silenced')
    assert.equal('6\t5', result 'former'['text/plain'])
  end)

  it('sends the standard error as such', function() assert.equal('stderr', find('errors', 'stream').name) end)

  it('keeps local variables for later cells', function() assert.equal('42', result 'known'['text/plain']) end)

  it('answers an error with its text and traceback', function()
    assert.same({ 'before\t\n', 'error', 'execute_reply' }, sent 'failing')
    local reply = find('failing', 'execute_reply')
    assert.equal('error', reply.status)
    assert.matches('^In%[%d+%]:2: boom$', reply.evalue)
    assert.matches("In%[%d+%]:2: in function 'inner'", table.concat(reply.traceback, '\n'))
    assert.is_nil(table.concat(reply.traceback):find('trepl', 1, true))
    assert.matches('torch.cat', find('hint', 'error').evalue)
  end)

  it('runs nothing of a cell that can not be compiled', function()
    assert.same({ 'error', 'execute_reply' }, sent 'syntax')
    assert.equal('SyntaxError', find('syntax', 'error').ename)
  end)

  it('is interrupted by message and by signal, in Lua, in ops and in shell commands', function()
    for _, name in ipairs { 'interrupted', 'signalled', 'stubborn', 'op' } do
      assert.equal('Interrupted', find(name, 'execute_reply').ename, name)
    end
    assert.same({ 'go\n', 'execute_reply' }, sent 'shell')
  end)

  it('shows tensors of one and two dimensions as tables', function()
    local function cells(name, tag)
      local list = {}
      for cell in result(name)['text/html']:gmatch(('<%s>(.-)</%s>'):format(tag, tag)) do list[#list + 1] = cell end
      return table.concat(list, ' ')
    end
    assert.equal('1.0000 2.5000 -3.0000 nan', cells('matrix', 'td'))
    assert.equal(' 1 2 1 2', cells('matrix', 'th'))
    assert.matches('torch.DoubleTensor of size 2&times;2', result 'matrix'['text/html'], 1, true)
    assert.equal('7 8', cells('vector', 'td'))
    assert.matches('%[torch.LongTensor of size 2%]', result 'vector'['text/plain'])
    assert.is_nil(result 'cube'['text/html'])
    assert.matches('^1 2 3 4 5 &hellip; 36 37 38 39 40 41 ', cells('large', 'td'))
    assert.matches(' 3996 3997 3998 3999 4000$', cells('large', 'td'))
    assert.matches('requires a gradient', result 'tracked'['text/html'])
  end)

  it('shows modules as text', function() assert.matches('^nn.Sequential {\n.*nn.Linear%(2 %-> 3%)', result 'module'['text/plain']) end)

  it('shows the figure of a cell once, and begins another in the next', function()
    assert.same({ 'display_data', 'execute_reply' }, sent 'figure')
    assert.matches('<svg ', find('figure', 'display_data').data['image/svg+xml'], 1, true)
    assert.same({ 'execute_result', 'execute_reply' }, sent 'figures')
    assert.same({ 'execute_result', 'execute_reply' }, sent 'noFigure')
  end)

  it('shows pictures as PNG', function()
    assert.same({ 'display_data', 'execute_reply' }, sent 'picture')
    assert.matches('^iVBORw0KGgo', find('picture', 'display_data').data['image/png'])      -- base64 of PNG's signature
  end)

  it('draws progress in one place', function()
    for _, name in ipairs { 'progress', 'bar' } do
      local id, last
      for _, message in ipairs(answers[name]) do
        if message.transient then
          id = id or message.transient.display_id
          assert.equal(id, message.transient.display_id)
          last = message.data['text/plain']
        end
      end
      assert.matches(name == 'bar' and '^steps  100%%  3/3' or '^1000/1000 Tot: ', last)
    end
  end)

  it('shows and updates displayed objects', function()
    assert.same({ 'display_data', 'update_display_data', 'clear_output', 'execute_reply' }, sent 'shown')
    assert.equal('<i>b</i>', find('shown', 'update_display_data').data['text/html'])
    assert.equal('$x$', result 'own'['text/latex'])
  end)

  it('asks for input, where the frontend takes questions', function()
    assert.equal('Ada!', result 'read'['text/plain'])
    assert.equal('Eve', result 'asked'['text/plain'])
    local question = find('asked', 'input_request')
    assert.same({ 'who? ', true }, { question.prompt, question.password })
    assert.matches('io.read: this frontend takes no input', find('refused', 'error').evalue)
  end)

  it('evaluates expressions behind a cell, and shows nothing of a silent one', function()
    local values = find('expressions', 'execute_reply').user_expressions
    assert.equal('2', values.a.data['text/plain'])
    assert.same({ 'error', 'error' }, { values.b.status, values.c.status })
    assert.same({ 'execute_reply' }, sent 'quiet')
  end)

  it('sends bytes that are no text as replacements', function() assert.equal('\239\191\189\239\191\189', sent 'invalidText'[1]) end)

  it('asks the frontend to end it', function() assert.equal('ask_exit', find('leaving', 'execute_reply').payload[1].source) end)

  it('completes names at the cursor, counted in characters', function()
    for name, start in pairs { field = 6, within = 10, behindLetters = 14, helped = 8, beyond = 6 } do
      assert.same({ 'addmm', 'addmv' }, answers[name].matches, name)
      assert.same({ start, start + 4 }, { answers[name].cursor_start, answers[name].cursor_end }, name)
    end
    assert.same({ 'deep' }, answers.localName.matches)
    assert.same({ 'profile' }, answers.directive.matches)
    assert.same({}, answers.nothing.matches)
  end)

  it('knows about the name at the cursor, or the function that is called there', function()
    assert.matches('weight', answers.op_help.data['text/plain'])
    assert.equal(answers.op_help.data['text/plain'], answers.argument.data['text/plain'])
    assert.equal('21', answers.value.data['text/plain'])
    assert.is_false(answers.unknown.found)
  end)

  it('tells whether more lines could follow', function()
    assert.same({ status = 'incomplete', indent = '  ' }, { status = answers.open.status, indent = answers.open.indent })
    assert.equal('complete', answers.complete.status)
    assert.equal('invalid', answers.invalid.status)
  end)

  it('remembers what was run', function() assert.equal("io.write '\\255\\254'", answers.history.history[1][3]) end)

  it('survives messages that are none', function() assert.same({ 'execute_result', 'execute_reply' }, sent 'junk') end)

  it('reports its language', function() assert.equal('lua', answers.info.language_info.name) end)

  it('ends and starts again', function()
    assert.equal(0, answers.restart.status)
    assert.same({ 'execute_reply' }, sent 'fresh')
  end)

  it('ends on request while a cell runs', function() assert.equal(0, answers.busy.status) end)

  it('runs the example notebook as it is stored', function()
    local stored = cjson.decode(files.read 'examples/notebook/tour.ipynb').cells
    local function kinds(outputs)
      local list = {}
      for _, output in ipairs(outputs or {}) do
        local isMore = output.output_type == 'stream' and list[#list] == 'stream'
        for name in pairs(output.data or { [isMore and '' or output.output_type] = not isMore or nil }) do list[#list + 1] = name end
      end
      table.sort(list)
      return list
    end
    for i, cell in ipairs(answers.notebook) do assert.same(kinds(stored[i].outputs), kinds(cell.outputs), cell.id) end
  end)
end)
