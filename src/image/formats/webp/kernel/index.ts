export {
  allocate,
  beginCounting,
  beginMemory,
  counted,
  limitMemory,
  room,
  taken,
  written,
} from '../../../wasm/assembly/memory';
export { alphaStatus, countAlpha, nextAlphaRow, openAlpha, startAlpha } from './alpha/decoder';
export {
  allocateAlphaPlane,
  alphaPlaneBytes,
  beginAlphaPlane,
  endAlphaRows,
  finishAlphaPlane,
  takeAlphaRow,
} from './alpha/encoder';
export { nextPiece, pieceBytes, returnPiece } from './pieces';
export { setAlpha } from './vp8/color-conversion';
export {
  allocateLossy,
  nextLossyRow,
  nextLossySamples,
  rgbaRowBytes,
  startLossy,
} from './vp8/picture';
export { acStep } from './vp8/segments';
export {
  codedLength,
  codedPieceBytes,
  firstCodedPiece,
  firstPartition,
  nextCodedPiece,
  tokenPartition,
} from './vp8-encoder/bool-encoder';
export {
  countsTokens,
  finishEntropy,
  finished,
  isExhausted,
  keepsTokens,
  noRoom,
  unfinished,
  writesTokens,
} from './vp8-encoder/entropy';
export {
  frameHead,
  frameHeadBytes,
  setFrameDeltas,
  setFrameFilter,
  setFrameSegment,
} from './vp8-encoder/first-partition';
export { colorfulBlocks, colorLoss } from './vp8-encoder/luma-fitting';
export {
  allocateLossyEncoder,
  beginLossyRun,
  encodeMacroblocks,
  limitModeBytes,
  prepareQuantizers,
  takeLossyRow,
} from './vp8-encoder/picture';
export { inputRow } from './vp8-encoder/source-rows';
export {
  countLossless,
  nextLosslessRow,
  openLossless,
  readOn,
  startLossless,
} from './vp8l/picture';
export { excessive, incomplete, outOfMemory, sound } from './vp8l/status';
export { encodeOn } from './vp8l-encoder/coder';
export {
  allocateLosslessPicture,
  beginLosslessPicture,
  endLosslessRows,
  finishLosslessPicture,
  losslessBytes,
  takeLosslessRow,
  triedTransforms,
  undecided,
} from './vp8l-encoder/picture';
export {
  allocateSurvey,
  beginSurvey,
  predictiveWithoutGreen,
  surveyAlphaRow,
  surveyedTransforms,
  surveyRow,
} from './vp8l-encoder/survey';
