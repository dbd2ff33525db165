/** Number of lobes of the window on each side of its center. */
const lobes = 3;

/**
 * Weights below this are dropped, such as those near the zeros of the sinc; far below the resolution of a float32 sum.
 */
const negligible = 1e-7;

/**
 * The filter weights of a reduced line: sample `i` is the sum of `weights[offsets[i] … offsets[i + 1])` times the
 * source samples from `starts[i]` on. The weights of each sample add up to 1.
 */
export interface LanczosKernel {
  readonly starts: Int32Array<ArrayBuffer>;
  readonly offsets: Int32Array<ArrayBuffer>;
  readonly weights: Float32Array<ArrayBuffer>;
}

/** The part of a line that is reduced; it may start and end within a sample. */
export interface Span {
  readonly start: number;
  readonly length: number;
}

/**
 * The Lanczos-3 kernel, stretched by the reduction factor so that it removes frequencies that the shorter line cannot
 * represent. At the ends of the line, the weights inside are normalized instead of extending the line. Lines of equal
 * length are unchanged. Source: C. E. Duchon, "Lanczos Filtering in One and Two Dimensions", 1979; Turkowski, "Filters
 * for Common Resampling Tasks", Graphics Gems I, 1990.
 *
 * @param source length of the source in samples
 * @param span part of the source, not shorter than the target
 */
export function lanczosKernel(
  source: number,
  target: number,
  { start, length }: Span = { start: 0, length: source },
): LanczosKernel {
  const scale = length / target;
  const starts = new Int32Array(target);
  const offsets = new Int32Array(target + 1);
  const weights = new Float32Array(maxWeights(source, target));
  let end = 0;
  for (let i = 0; i < target; i += 1) {
    const middle = start + (i + 0.5) * scale - 0.5;
    const weightAt = (at: number) => lanczos((at - middle) / scale);
    let first = Math.max(Math.ceil(middle - lobes * scale), 0);
    let last = Math.min(Math.floor(middle + lobes * scale), source - 1);
    while (Math.abs(weightAt(first)) < negligible) first += 1;
    while (Math.abs(weightAt(last)) < negligible) last -= 1;
    let sum = 0;
    for (let at = first; at <= last; at += 1) sum += weightAt(at);
    starts[i] = first;
    for (let at = first; at <= last; at += 1) {
      weights[end] = weightAt(at) / sum;
      end += 1;
    }
    offsets[i + 1] = end;
  }
  return { starts, offsets, weights };
}

/** Size of a kernel in bytes. */
export function lanczosKernelBytes(source: number, target: number): number {
  return 4 * (maxWeights(source, target) + 2 * target + 1);
}

/** Upper bound for the number of weights: per sample, the stretched window or the whole source. */
function maxWeights(source: number, target: number): number {
  return target * Math.min(source, Math.floor((2 * lobes * source) / target) + 1);
}

function lanczos(x: number): number {
  return Math.abs(x) < lobes ? sinc(x) * sinc(x / lobes) : 0;
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}
