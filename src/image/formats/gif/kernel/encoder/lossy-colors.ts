/**
 * Colours as they are compared: luma, and blue and red less luma, each by how much of a difference is seen. The squares of
 * the differences add up (see ../../color-distance.ts).
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { colorAt, tableLength } from './frame';

/** Those of 256 indices: each as four lanes, of which the last is 0, and all lumas, blues and reds one after the other. */
let colors: usize = 0;
let planes: usize = 0;
const planeBytes: usize = 4 * 256;

/** Weights of the differences of colour beside that of luma. */
const blueWeight: f32 = 0.25;
const redWeight: f32 = 0.4;

/** False where there is no room. */
export function allocateLossyColors(): bool {
  colors = allocate(16 * 256);
  planes = allocate(3 * planeBytes);
  return colors !== 0 && planes !== 0;
}

/** Gets ready for the table that is set. */
export function prepareLossyColors(): void {
  for (let index: i32 = 0; index < tableLength(); index += 1) {
    const color = splitColor(colorAt(index));
    v128.store(colors + (index << 4), color);
    const at = planes + (index << 2);
    store<f32>(at, f32x4.extract_lane(color, 0));
    store<f32>(at + planeBytes, f32x4.extract_lane(color, 1));
    store<f32>(at + 2 * planeBytes, f32x4.extract_lane(color, 2));
  }
}

/** A word of RGBA as it is compared. */
export function splitColor(word: u32): v128 {
  const samples = f32x4.convert_i32x4_u(
    i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(i32x4.splat(word))),
  );
  const red = v128.shuffle<f32>(samples, samples, 0, 0, 0, 0);
  const green = v128.shuffle<f32>(samples, samples, 1, 1, 1, 1);
  const blue = v128.shuffle<f32>(samples, samples, 2, 2, 2, 2);
  return f32x4.add(
    f32x4.add(
      f32x4.mul(red, f32x4(0.299, -0.299 * blueWeight, 0.701 * redWeight, 0)),
      f32x4.mul(green, f32x4(0.587, -0.587 * blueWeight, -0.587 * redWeight, 0)),
    ),
    f32x4.mul(blue, f32x4(0.114, 0.886 * blueWeight, -0.114 * redWeight, 0)),
  );
}

/** The colour of an index. */
export function lossyColor(index: i32): v128 {
  return v128.load(colors + (index << 4));
}

/** The square of a difference. */
export function squared(difference: v128): f32 {
  const squares = f32x4.mul(difference, difference);
  return (
    f32x4.extract_lane(squares, 0) + f32x4.extract_lane(squares, 1) + f32x4.extract_lane(squares, 2)
  );
}

/** Of four indices, the squares of the differences from a colour. */
export function squaresAt(index: i32, color: v128): v128 {
  const at = planes + (index << 2);
  const luma = f32x4.sub(v128.shuffle<f32>(color, color, 0, 0, 0, 0), v128.load(at));
  const blue = f32x4.sub(v128.shuffle<f32>(color, color, 1, 1, 1, 1), v128.load(at + planeBytes));
  const red = f32x4.sub(
    v128.shuffle<f32>(color, color, 2, 2, 2, 2),
    v128.load(at + 2 * planeBytes),
  );
  return f32x4.add(f32x4.add(f32x4.mul(luma, luma), f32x4.mul(blue, blue)), f32x4.mul(red, red));
}
