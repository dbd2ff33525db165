/**
 * Weights of distortion relative to rate: the cost of a squared error of 1, in the scale of coefficients, in 256ths of
 * a bit. They are proportional to the inverse square of the step, like the slope of the rate–distortion curve. The
 * constants gave the fewest bytes for photos at equal SSIMULACRA2.
 */
import { segmentCount } from '../vp8/segments';
import {
  chromaQuantizer,
  lumaQuantizer,
  meanStepAt,
  quantizersOf,
  secondOrderQuantizer,
} from './quantization';

/* Offsets of the weights of a segment, f64 each. */
/** For choosing a mode of a luma block. */
export const blockChoice: usize = 0;
/** For choosing a mode of luma as a whole. */
export const wholeChoice: usize = 8;
/** For choosing between prediction by block and as a whole. */
export const wayChoice: usize = 16;
/** For choosing a chroma mode. */
export const chromaChoice: usize = 24;
/* Offsets of the weights for trellises, 16 f32 in zigzag order. */
export const blockTrellis: usize = 32;
export const wholeTrellis: usize = 96;
export const secondOrderTrellis: usize = 160;
const segmentBytes: usize = 224;
const weights: usize = memory.data(segmentCount * 224, 16);

/* Weights for a mean step of 1. */
const blockWeight: f64 = 2730;
const wholeWeight: f64 = 600;
const wayWeight: f64 = 8192;
const chromaWeight: f64 = 6300;
const blockTrellisWeight: f64 = 2600;
const wholeTrellisWeight: f64 = 4200;
const secondOrderTrellisWeight: f64 = 25000;

/** Factors by frequency for trellises, in zigzag order: errors at low frequencies are more visible. */
const frequencyWeights: usize = memory.data<f32>([
  2.05, 1.825, 1.825, 1.225, 1.6, 1.225, 0.625, 1.075, 1.075, 0.625, 0.55, 0.7, 0.55, 0.4, 0.4,
  0.25,
]);

/** Computes the weights for the quantizers of a segment. */
export function setWeights(segment: i32): void {
  const at = weightsOf(segment);
  const quantizers = quantizersOf(segment);
  const ofLuma = inverseSquare(quantizers + lumaQuantizer);
  const ofWhole = inverseSquare(quantizers + secondOrderQuantizer);
  const ofChroma = inverseSquare(quantizers + chromaQuantizer);
  store<f64>(at, blockWeight * ofLuma, blockChoice);
  store<f64>(at, wholeWeight * ofWhole, wholeChoice);
  store<f64>(at, wayWeight * ofLuma, wayChoice);
  store<f64>(at, chromaWeight * ofChroma, chromaChoice);
  for (let n: usize = 0; n < 64; n += 4) {
    const byFrequency = <f64>load<f32>(frequencyWeights + n);
    store<f32>(at + n, <f32>(blockTrellisWeight * ofLuma * byFrequency), blockTrellis);
    store<f32>(at + n, <f32>(wholeTrellisWeight * ofWhole * byFrequency), wholeTrellis);
    // All of these are low frequencies.
    store<f32>(at + n, <f32>(secondOrderTrellisWeight * ofWhole), secondOrderTrellis);
  }
}

/** The inverse square of a quantizer's mean step. */
function inverseSquare(quantizer: usize): f64 {
  const step = load<f64>(quantizer, meanStepAt);
  return 1 / (step * step);
}

/** The weights of a segment. */
export function weightsOf(segment: i32): usize {
  return weights + segmentBytes * segment;
}
