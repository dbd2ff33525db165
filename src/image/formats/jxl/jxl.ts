import type { Format, Writer } from '../format.ts';
import type { JpegInspection } from '../jpeg/inspect.ts';
import { jpeg } from '../jpeg/jpeg.ts';
import { jxlFacts } from './facts.ts';
import { jxlRecoder } from './transcode.ts';

const write: Writer = {
  // placeholder
  encoders: jpeg.write.encoders,
  transcoding: { recoder: jxlRecoder, obstacle: jxlObstacle },
  trialForm: { type: 'jpeg', bytesShare: 0.86, asTranscoded: true },
};

/** JPEG XL: ISO/IEC 18181-1, and its container (18181-2). */
export const jxl = { facts: jxlFacts, write } as const satisfies Format;

/** Placeholder. */
function jxlObstacle({
  colorSpace,
  components,
  quantizationTables,
}: JpegInspection): string | null {
  if (colorSpace === 'cmyk' || colorSpace === 'ycck') {
    return 'A CMYK JPEG cannot become JPEG XL here: choose another format.';
  }
  if (colorSpace === 'rgb')
    return 'A JPEG in RGB cannot become JPEG XL here: choose another format.';
  const isOdd = components.some(({ horizontal, vertical }) => horizontal > 2 || vertical > 2);
  if (isOdd) return 'A JPEG with sampling factors above 2 cannot become JPEG XL.';
  const hasZero = quantizationTables.some((table) => table?.includes(0));
  return hasZero ? 'A JPEG with a quantization step of 0 cannot become JPEG XL.' : null;
}
