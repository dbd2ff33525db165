/**
 * Converts rows of RGBA to planes of linear light. Transparent pixels are blended with a gray background in code values
 * (gamma-encoded), so results are between codes.
 */

/** Steps of the table per code, and in total; linear light at the last one is 1. */
const stepsPerCode: u32 = 4;
const steps: i32 = 1020;
/** Linear light by quarters of codes, f32, with one more entry for interpolation. */
const light: usize = memory.data(1022 * 4, 16);

/** Pointer where the host writes the linear light of 0, ¼, ½ … 255, f32, before the first row. */
export function lightAt(): usize {
  return light;
}

/**
 * Converts a row to linear light.
 * @param rgba a row
 * @param planes destination for red; those for green and blue follow at intervals of `stride` bytes
 */
export function linearize(rgba: usize, width: i32, planes: usize, stride: usize): void {
  const greens = planes + stride;
  const blues = greens + stride;
  for (let x: usize = 0; x < (<usize>width) << 2; x += 4) {
    const pixel = load<u32>(rgba + x);
    store<f32>(planes + x, lightOfCode(pixel & 255));
    store<f32>(greens + x, lightOfCode((pixel >> 8) & 255));
    store<f32>(blues + x, lightOfCode((pixel >> 16) & 255));
  }
}

/**
 * Like `linearize`, on a background.
 * @param background code value of the gray, 0 to 255
 */
export function linearizeOn(
  background: f32,
  rgba: usize,
  width: i32,
  planes: usize,
  stride: usize,
): void {
  const greens = planes + stride;
  const blues = greens + stride;
  for (let x: usize = 0; x < (<usize>width) << 2; x += 4) {
    const pixel = load<u32>(rgba + x);
    const alpha = pixel >> 24;
    if (alpha === 255) {
      store<f32>(planes + x, lightOfCode(pixel & 255));
      store<f32>(greens + x, lightOfCode((pixel >> 8) & 255));
      store<f32>(blues + x, lightOfCode((pixel >> 16) & 255));
    } else {
      const cover = <f32>(alpha * stepsPerCode) / 255;
      const shining = (<f32>stepsPerCode - cover) * background;
      store<f32>(planes + x, lightAtStep(<f32>(pixel & 255) * cover + shining));
      store<f32>(greens + x, lightAtStep(<f32>((pixel >> 8) & 255) * cover + shining));
      store<f32>(blues + x, lightAtStep(<f32>((pixel >> 16) & 255) * cover + shining));
    }
  }
}

function lightOfCode(code: u32): f32 {
  return load<f32>(light + ((code * stepsPerCode) << 2));
}

function lightAtStep(position: f32): f32 {
  const step = min(<i32>position, steps);
  const at = light + ((<usize>step) << 2);
  const below = load<f32>(at);
  return below + (load<f32>(at, 4) - below) * (position - <f32>step);
}
