--- The table of torchnet, to which its files and programs add classes: `torch.class('tnt.Mine', 'tnt.Dataset', tnt)`.
-- @module torchnet.env
require 'torch'

local env = require 'argcheck.env'
local isDataset = require 'data.is_dataset'

local tnt = {}
package.loaded.tnt = tnt      -- the registry of classes looks up tnt.ListDataset etc. here

-- Accepts a set of the package data as a set of torchnet.
local istype = env.istype
function env.istype(obj, typename)
  return istype(obj, typename) or typename == 'tnt.Dataset' and isDataset.is(obj) and istype(obj, 'data.Dataset')
end

require 'torch.start.lazy_loader'(tnt, [[
  torchnet.dataset: Dataset
  torchnet.dataset.base: ListDataset TableDataset TransformDataset BatchDataset ConcatDataset ResampleDataset ShuffleDataset SplitDataset
  torchnet.dataset.coroutinebatchdataset: CoroutineBatchDataset
  torchnet.dataset.indexeddataset: IndexedDataset IndexedDatasetWriter IndexedDatasetReader
  torchnet.dataset.datasetiterator: DatasetIterator
  torchnet.dataset.paralleldatasetiterator: ParallelDatasetIterator
  torchnet.engine: Engine
  torchnet.engine.sgdengine: SGDEngine
  torchnet.engine.optimengine: OptimEngine
  torchnet.meter: Meter
  torchnet.meter.averagevaluemeter: AverageValueMeter
  torchnet.meter.movingaveragevaluemeter: MovingAverageValueMeter
  torchnet.meter.classerrormeter: ClassErrorMeter
  torchnet.meter.confusionmeter: ConfusionMeter
  torchnet.meter.multilabelconfusionmeter: MultiLabelConfusionMeter
  torchnet.meter.aucmeter: AUCMeter
  torchnet.meter.apmeter: APMeter mAPMeter
  torchnet.meter.precisionmeter: PrecisionMeter RecallMeter
  torchnet.meter.precisionatkmeter: PrecisionAtKMeter
  torchnet.meter.ndcgmeter: NDCGMeter
  torchnet.meter.msemeter: MSEMeter
  torchnet.meter.timemeter: TimeMeter
  torchnet.log: Log
  logview = torchnet.log.view
  transform = torchnet.transform
  utils = torchnet.utils
]])

return tnt
