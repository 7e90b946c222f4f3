--- Data sets, and loaders that build batches from them in worker threads or processes.
-- A data set returns its number of samples (`size`) and each sample by its number (`get`). The classes here read samples from tensors,
-- lists, files and functions, and wrap each other: `set:shuffle(1):transform(crop):batch(64)`. A stream returns samples one after another
-- without numbers. `data.DataLoader` iterates over either in batches.
-- @module data
-- @usage local set = data.TensorDataset { input = images, target = labels }
-- for batch in data.DataLoader(set, { batchSize = 64, shuffle = true, workers = 2 })() do step(batch.input, batch.target) end
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local data = {}
require 'torch.modules'.publish('data', data)

require 'torch.start.lazy_loader'(data, [[
  data.Dataset: Dataset
  data.TensorDataset: TensorDataset
  data.ListDataset: ListDataset
  data.FunctionDataset: FunctionDataset
  data.ConcatDataset: ConcatDataset
  data.SubsetDataset: SubsetDataset
  data.TransformDataset: TransformDataset
  data.BatchDataset: BatchDataset
  data.ResampleDataset: ResampleDataset
  data.ShuffleDataset: ShuffleDataset
  data.SplitDataset: SplitDataset
  data.ZipDataset: ZipDataset
  data.CacheDataset: CacheDataset
  data.Stream: Stream
  data.samplers: SequentialSampler RandomSampler WeightedSampler DistributedSampler
  data.BucketSampler: BucketSampler
  data.DataLoader: DataLoader
  collate = data.collate
  readers = data.readers
  idx = data.readers.idx
  cifar = data.readers.cifar
  csv = data.readers.csv
  jsonl = data.readers.jsonl
  text = data.readers.text
  wav = data.readers.wav
  data.readers.vocabulary: Vocabulary
  data.frame.Frame: Frame
  data.frame.Groups: Groups
  data.frame.Rolling: Rolling
  data.readers.image_folder: ImageFolder
  data.readers.SpeechCommands: SpeechCommands
  data.readers.LibriSpeech: LibriSpeech
  progress = data.progress
  dates = data.dates
  texts = data.texts
  arrow = data.arrow
]])

return data
