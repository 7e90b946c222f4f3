-- Wrong calls of every function of torch.distributed, which the program of mistakes_spec.lua makes on all ranks. A row is
-- { code, message }: the message must be a part of the error. `sweep` makes rows of every wrong value of every argument. Names of the code
-- are dist, rpc, nn, optim, torch, rank, other (the other rank), T (a tensor), L (a list of one for each rank), A (an array of 6 x 2),
-- N (a layer), P (parameters), H (a handle), folder (of a checkpoint).
local rows = {}

local function row(code, message) rows[#rows + 1] = { code, message } end

-- Wrong values by kind of argument.
local wrong = {
  options = { '3', "'x'", 'true', '{ tipo = 1 }', "{ timeout = 'x' }", '{ timeout = -1 }', '{ timeout = 0 / 0 }', "{ group = 'x' }",
    '{ group = {} }' },
  tensor = { 'nil', '3', "'x'", '{}', 'true' },
  list = { 'nil', '3', "'x'", 'T', '{}', '{ T }', '{ T, T, T }', '{ T, 3 }', '{ T, torch.ones(3) }', '{ T, torch.FloatTensor(2) }' },
  values = { 'nil', '3', '{}', '{ 1 }', '{ 1, 2, 3 }', '{ 1, print }' },
  rank = { '-1', '2', '3', '1.5', "'0'", '{}', 'true', '0 / 0' },
  reduction = { "'sun'", '3', '{}', 'true' },
  value = { 'print', '{ a = { print } }', 'coroutine.create(print)' },
  dim = { '0', '3', '1.5', "'x'", '{}' },
  group = { '3', "'x'", '{}', 'true' },
  ranks = { 'nil', '3', "'x'", '{}', '{ 5 }', '{ 0, 0 }', "{ 'x' }", '{ 0.5 }' },
  settings = { '3', '{ tipo = 1 }', "{ timeout = 'x' }", '{ timeout = -1 }' },
  start = { '3', '{ tipo = 1 }', '{ backend = 3 }', "{ backend = 'nccl' }", '{ timeout = -1 }', "{ seed = 'x' }", '{ seed = 1.5 }' },
}

-- Adds a kind with the wrong values of another one and further ones.
local function extend(kind, other, values)
  wrong[kind] = { unpack(wrong[other]) }
  for _, value in ipairs(values) do table.insert(wrong[kind], value) end
end
extend('collective', 'options', { "{ async = 'yes' }", '{ async = 3 }' })
extend('message', 'collective', { '{ tag = -1 }', '{ tag = 1.5 }', "{ tag = 'x' }", '{ tag = 2 ^ 40 }' })

-- Adds the calls of a function with each wrong value of each argument, a list { right value, kind of wrong ones, name in messages }, and
-- right values of the others. Arguments without a kind are right.
local function sweep(name, arguments)
  for i, argument in ipairs(arguments) do
    local _, kind, title = unpack(argument)
    for _, value in ipairs(wrong[kind] or {}) do
      local list, option = {}, title == 'options' and value:match '^{ (%a+) = ' or title
      for j, other in ipairs(arguments) do list[j] = i == j and value or other[1] end
      row(('dist.%s(%s)'):format(name, table.concat(list, ', ')),
        ('torch.distributed.%s: %s'):format(name, option == 'tipo' and 'options' or option))
    end
  end
end

local T, L = { 'T', 'tensor', 'x' }, { 'L', 'list', 'list' }
local source, target, reduction = { '0', 'rank', 'source' }, { '0', 'rank', 'target' }, { "'sum'", 'reduction', 'reduction' }
local rest, plain = { '{}', 'collective', 'options' }, { '{}', 'options', 'options' }
local to, from, message = { 'other', 'rank', 'target' }, { 'other', 'rank', 'source' }, { '{}', 'message', 'options' }
local value, dim = { '1', 'value', 'value' }, { '1', 'dim', 'dim' }

sweep('barrier', { rest })
sweep('broadcast', { T, source, rest })
sweep('allReduce', { T, reduction, rest })
sweep('reduce', { T, target, reduction, rest })
sweep('gather', { T, target, rest })
sweep('allGather', { T, rest })
sweep('reduceScatter', { L, reduction, rest })
sweep('allToAll', { L, rest })
sweep('scatter', { T, L, { 'rank' } })      -- each rank is the source, which alone looks at the list
sweep('scatter', { T, { 'L' }, source, rest })
sweep('send', { T, to, message })
sweep('receive', { T, from, message })
sweep('broadcastObject', { value, source, rest })
sweep('allGatherObject', { value, rest })
sweep('gatherObject', { value, target, rest })
sweep('scatterObject', { { '{ 1, 2 }', 'values', '' }, { 'rank' } })
sweep('scatterObject', { { '{ 1, 2 }' }, source, rest })
sweep('sendObject', { value, to, message })
sweep('receiveObject', { from, message })
sweep('newGroup', { { '{ 0, 1 }', 'ranks', 'ranks' }, { '{}', 'settings', 'options' } })
sweep('rank', { { 'nil', 'group', 'ranks' } })
sweep('worldSize', { { 'nil', 'group', 'ranks' } })
sweep('init', { { '{}', 'start', 'options' } })
sweep('functional.allReduce', { T, reduction, plain })
sweep('functional.broadcast', { T, source, plain })
sweep('functional.allGather', { T, plain })
sweep('functional.reduceScatter', { L, { "'sum'" }, plain })
sweep('functional.allToAll', { L, plain })
sweep('functional.copyToRegion', { T, plain })
sweep('functional.reduceFromRegion', { T, plain })
sweep('functional.scatterToRegion', { T, dim, plain })
sweep('functional.gatherFromRegion', { T, dim, plain })

-- Calls of methods and modules, with what their messages must contain.
local function calls(prefix, where, list)
  for _, each in ipairs(list) do row(prefix .. each[1], where .. each[2]) end
end

calls('dist.array', 'torch.distributed.array', {
  { '()', ': shard: nil' }, { '(3)', ': shard: 3' }, { '({ 1, 2 })', ': shard: a table' },
  { '(torch.Tensor())', ': shard: a tensor without' },
  { '(T, 3)', ': options: 3' }, { '(T, { group = 3 })', ': group: 3' }, { '(T, { grup = 3 })', ': options: grup' },
  { '(torch.ones(2, rank + 1))', ': shard: rank 1 has' },
})
calls('dist.loadArray', 'torch.distributed.loadArray', {
  { '()', ': names: nil' }, { '(3)', ': names: number' }, { '({})', ': names: files without rows' }, { '({ 3 })', ': names: 3' },
  { "('x.txt')", ": names: 'x.txt'" }, { "('/nonexistent.npy')", ': rank 0: torch.npy.rows: cannot open /nonexistent.npy' },
  { "('/nonexistent%d.npy')", ': rank 0: torch.distributed.loadArray: names: no file' },
  { "('x.npy', { datset = 3 })", ': options: datset' },
})
calls('dist.scatterArray', 'torch.distributed.scatterArray', {
  { '()', ': x: nil' }, { '(3)', ': x: 3' }, { '(torch.Tensor())', ': x: a tensor without' }, { '(T, 7)', ': source: 7' },
  { "(T, 'x')", ": source: 'x'" }, { '(T, 0, { x = 1 })', ': options: x' },
})
calls('A:', 'torch.distributed.array: ', {
  { 'size(7)', 'size: dim: 7' }, { "size('x')", "size: dim: 'x'" }, { 'map()', 'map: f: nil' }, { 'map(3)', 'map: f: number' },
  { 'map(function() end)', 'map: f: its result' }, { 'map(function(x) return x:sum(1) end)', 'map: f: its result' },
  { 'sum(7)', 'sum: dim: 7' }, { "sum('x')", "sum: dim: 'x'" }, { 'mean(1.5)', 'mean: dim: 1.5' }, { "mean('x')", "mean: dim: 'x'" },
  { 'min(0)', 'min: dim: 0' }, { 'max(3)', 'max: dim: 3' }, { "var('x')", "var: dim: 'x'" }, { 'std(7)', 'std: dim: 7' },
  { "histc('x')", "histc: bins: 'x'" }, { 'histc(0)', 'histc: bins: 0' }, { "histc(3, 'x')", "histc: min: 'x'" },
  { "histc(3, 0, 'x')", "histc: max: 'x'" }, { 'index()', 'index: positions' }, { 'index({ 1 })', 'index: positions' },
  { 'index(torch.LongTensor { 9 })', 'index: positions: 9' }, { 'redistribute(3)', 'redistribute: counts: 3' },
  { 'redistribute({ 1 })', 'redistribute: counts: 1 numbers' }, { "redistribute({ 'x', 6 })", "redistribute: counts: [1]: 'x'" },
  { 'redistribute({ -1, 7 })', 'redistribute: counts: [1]: -1' }, { 'redistribute({ 1.5, 4.5 })', 'redistribute: counts: [1]: 1.5' },
  { 'sort()', 'sort: an array of 2 dimensions' }, { 'matmul()', 'matmul: b: nil' }, { 'matmul(torch.ones(3))', 'matmul: b' },
  { 'matmul(torch.FloatTensor(2, 2))', 'matmul: b: a FloatTensor' }, { 'matmul(torch.Tensor())', 'matmul: b' },
  { 'gram(3)', 'gram: b: number' },
  { 'save()', 'save: rank 0: torch.distributed.array: save: pattern: nil' }, { "save('x.npy')", 'save: rank 0' },
  { "save('x%d.npy', 3)", 'save: options: 3' }, { "save('/nonexistent/x%d.npy')", 'save: rank 0: torch.npy.save: /nonexistent/x1.npy' },
})
calls('A', 'torch.distributed.', {
  { '.size()', 'array: size: self: nil' }, { '.sum(3)', 'array: sum: self: 3' }, { '.exp()', 'array: exp: self: nil' },
  { '[1]', 'array: []: 1' },
  { ' + dist.array(torch.ones(2, 2))', 'array: add: argument 1: an array of 4 rows' }, { ' + torch.ones(3, 2)', 'array: add: argument 1' },
  { ':gather(7)', 'gatherObject: target: 7' },
})
for _, code in ipairs { "A + 'x'", 'A + {}', 'A * {}', 'A / true', 'A - nil', 'A:add()', "A:add('x')", 'A:exp(3)', "A:type('x')",
'A:type(3)' } do
  row(code, 'expected')
end
calls('dist.', 'torch.distributed.', {
  { 'save()', 'save: folder: nil' }, { "save('', {})", "save: folder: ''" }, { 'save(folder)', 'save: state: nil' },
  { 'save(folder, { f = print })', 'save: f: a function' }, { 'save(folder, {}, 3)', 'save: options: 3' },
  { 'save(folder, {}, { group = 3 })', 'save: group: 3' }, { "save('/proc/x', {})", 'save: /proc/x: the folder can not be created' },
  { 'load()', 'load: folder: nil' }, { "load('/nonexistent')", 'load: manifest: /nonexistent/manifest' },
  { 'load(folder, {}, 3)', 'load: options: 3' },
  { 'load(folder, { x = torch.ones(3) })', 'load: x: DoubleTensor of 2 in the checkpoint' },
  { 'load(folder, { y = T })', 'load: y: nothing in the checkpoint' }, { 'shard()', 'shard: x: nil' }, { 'shard(T)', 'shard: sizes: nil' },
  { 'shard(T, 0, 3)', 'shard: sizes: 3' }, { 'shard(T, -1, { 4 })', 'shard: first: -1' },
  { 'shard(T, 3, { 4 })', 'shard: first: elements 4 to 5' },
  { "shard(T, 0, { 'x' })", "shard: sizes: [1]: 'x'" }, { "shard(T, 'x', { 4 })", "shard: first: 'x'" },
  { 'shard(T, 0, { 4 }):read()', 'shard: read: first: nil' }, { 'shard(T, 0, { 4 }):read(3, 2)', 'shard: read: elements 4 to 5' },
})
row('dist.shard(T, 0, { 4 }).read()', 'read: self: nil')
row('H.wait()', 'wait: self: nil')
row('H.isCompleted(3)', 'isCompleted: self: 3')
calls('rpc.', 'torch.distributed.rpc.', {
  { "init('x')", "init: options: 'x'" }, { 'init { timout = 1 }', 'init: options: timout' },
  { 'init { timeout = -1 }', 'init: timeout: -1' },
  { 'register()', 'register: name: nil' }, { "register('f', 3)", 'register: f: number' },
  { 'register({}, print)', 'register: name: a table' },
  { 'call()', 'call: name: nil' }, { "call('x', 'f')", "call: rank: 'x'" }, { "call(7, 'f')", 'call: rank: 7' },
  { 'call(0)', 'call: name: nil' },
  { "call(0.5, 'f')", 'call: rank: 0.5' }, { "async(7, 'f')", 'async: rank: 7' }, { 'remote(0)', 'remote: name: nil' },
  { "remote(7, 'f')", 'remote: rank: 7' }, { "shutdown('x')", "shutdown: seconds: 'x'" }, { 'shutdown(-1)', 'shutdown: seconds: -1' },
})
calls('rpc.', '', {
  { "call(rank, 'none')", "torch.distributed.rpc: none on rank" },
  { "async(other, 'none'):wait('x')", "torch.distributed.rpc: wait: seconds: 'x'" },
  { "async(other, 'none'):wait()", "no function is registered under 'none', expected" },
  { "async(other, 'none').wait()", 'wait: self: nil' },
  { "remote(other, 'none'):toHere()", "no function is registered under 'none'" }, { "remote(other, 'none').owner()", 'owner: self: nil' },
  { "call(other, 'none', print)", 'torch.distributed.rpc: value.arguments.1: a function' },
})
calls('nn.', 'nn.', {
  { 'DistributedDataParallel()', 'DistributedDataParallel: net: nil' },
  { 'DistributedDataParallel(nn.Linear)', 'DistributedDataParallel: net: the class' },
  { 'DistributedDataParallel(N, { group = 3 })', 'DistributedDataParallel: group: 3' },
  { 'DistributedDataParallel(N, { grup = 3 })', 'DistributedDataParallel: options: grup' },
  { 'DistributedDataParallel(N, { bucketBytes = 0 })', 'DistributedDataParallel: bucketBytes: 0' },
  { "DistributedDataParallel(N, { gradientCompression = 'int8' })", "DistributedDataParallel: gradientCompression: 'int8'" },
  { 'DistributedDataParallel(N, { broadcastBuffers = 1 })', 'DistributedDataParallel: broadcastBuffers: 1' },
  { 'DistributedDataParallel(N):noSync(3)', 'DistributedDataParallel' },
  { 'FullyShardedDataParallel(3)', 'FullyShardedDataParallel: net: 3' },
  { 'FullyShardedDataParallel(N, { group = 3 })', 'FullyShardedDataParallel: group: 3' },
  { 'TensorParallel(3)', 'TensorParallel: net: 3' }, { 'TensorParallel(N)', 'TensorParallel: net: no attention' },
  { "TensorParallel(nn.Sequential():add(N), { plan = { x = 'colwise' } })", 'TensorParallel: plan' },
  { "TensorParallel(nn.Sequential():add(N), { plan = { ['1'] = 'colwize' } })", 'TensorParallel: plan' },
  { 'TensorParallel(N, { plan = 3 })', 'TensorParallel: plan: 3' }, { 'ColumnParallelLinear(3, 3)', 'ColumnParallelLinear' },
  { 'RowParallelLinear(-2, 2)', 'Linear: inputSize: -2' }, { 'ParallelMultiheadAttention(5, 2)', 'MultiheadAttention: size: 5' },
  { "VocabParallelEmbedding('x', 2)", "Embedding: count: 'x'" },
  { "VocabParallelCrossEntropyLoss('x')", "VocabParallelCrossEntropyLoss: ignoreIndex: 'x'" },
  { 'PipelineParallel(3)', 'PipelineParallel: rank 0: nn.PipelineParallel: stages: 3' },
  { 'PipelineParallel({ N })', 'PipelineParallel: rank 0: nn.PipelineParallel: stages: a list of 1' },
  { 'PipelineParallel(nn.Sequential())', 'PipelineParallel: rank 0: nn.PipelineParallel: stages: an nn.Sequential of 0 modules' },
  { "PipelineParallel({ N, N }, { schedule = 'x' })", "PipelineParallel: schedule: 'x'" },
  { 'PipelineParallel({ N, N }, { microBatches = 0 })', 'PipelineParallel: microBatches: 0' },
  { 'PipelineParallel({ N, N }, { group = 3 })', 'PipelineParallel: group: 3' },
  { 'PipelineParallel({ N, N }, { criterion = nn.MSECriterion() }):step(3, 4)', 'PipelineParallel' },
  { 'PipelineParallel({ N, N }):step(torch.ones(4, 2), torch.ones(4, 2))', 'PipelineParallel' },
  { "SyncBatchNorm('x')", 'SyncBatchNorm: ' }, { 'SyncBatchNorm.convert(3)', 'SyncBatchNorm' },
  { 'SyncBatchNorm.convert(N, 3)', 'SyncBatchNorm' },
})
calls('optim.ZeroRedundancyOptimizer', 'optim.', {
  { '()', 'ZeroRedundancyOptimizer: class' }, { "(P, 'Adam')", 'ZeroRedundancyOptimizer: class' },
  { '(P, optim.adam)', 'ZeroRedundancyOptimizer: class' },
  { '(P, optim.LBFGS)', 'ZeroRedundancyOptimizer: class' }, { '({ 3 }, optim.Adam)', 'Adam' },
  { '(P, optim.Adam, { learningrate = 1 })', 'Adam: ' },
  { '(P, optim.Adam, {}, { group = 3 })', 'ZeroRedundancyOptimizer: group: 3' },
  { '(P, optim.Adam, {}, { grup = 3 })', 'ZeroRedundancyOptimizer: options: grup' },
  { "(P, optim.Adam, {}, { bucketBytes = 'x' })", "ZeroRedundancyOptimizer: bucketBytes: 'x'" },
  { '(P, optim.Adam):step(3)', 'ZeroRedundancyOptimizer.step: closure' },
  { '(P, optim.Adam):loadStateDict(3)', 'ZeroRedundancyOptimizer' },
})

return rows
