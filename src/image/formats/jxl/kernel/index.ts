export * from '../../jpeg/kernel/index';
export {
  allocateAns,
  writeCode,
  writeCodeHead,
  writeDistribution,
  writeMap,
  writeTokens,
} from './ans';
export {
  allocateBlockRows,
  beginCountingPass,
  beginGroupRow,
  beginWritingPass,
  loadGroupRow,
  takeStreamedRow,
} from './block-rows';
export {
  allocateClusters,
  allocateEntropy,
  beginClusters,
  beginEntropy,
  beginJoining,
  joinClusters,
  orderClusters,
  seedCluster,
} from './clusters';
export {
  blockContextMap,
  brightnessThresholds,
  coefficientContexts,
  coefficientPlaces,
  countPlaces,
  gatherCoefficients,
  placeCounts,
  setBlockContexts,
} from './coefficients';
export {
  allocateCodes,
  beginCode,
  clusterCount,
  coefficientCode,
  countTokens,
  streamCode,
  tokenBuffer,
  valueBits,
} from './entropy-code';
export { gridAcross, gridDown, groupSide, groupsAcross, groupsDown, lowGroupSide } from './grid';
export {
  allocateLowFrequencies,
  gatherLowFrequencies,
  lowFrequencyCount,
  lowFrequencyCuts,
  lowFrequencyLeaves,
  setLowFrequencyCuts,
} from './low-frequencies';
export {
  beginCodestream,
  codestreamAt,
  codestreamIsFull,
  codestreamLength,
  endSection,
  looseBits,
  putBits,
} from './output';
export {
  firstWeight,
  fourthWeight,
  secondWeight,
  shareInLeft,
  shareInTop,
  shareOfCorner,
  shareOfHorizontal,
  shareOfVertical,
  thirdWeight,
} from './weighted-predictor';
