import { turnInPlace } from '../../../src/image/pixels/orientation.ts';
import type { Raster } from '../../../src/image/pixels/raster.ts';
import type { CorpusFile, Table } from '../../harness/section.ts';
import { timed } from '../../measures/cpu-time.ts';
import { figure } from '../../measures/figures.ts';
import { photoOf } from './subjects.ts';

const orientations = [2, 3, 4, 5, 6, 7, 8] as const;
const runs = 5;

/** What turning a picture where it lies costs, beside a turned copy. */
export async function turningTable(photo: CorpusFile): Promise<Table> {
  const rows: string[][] = [];
  for (const orientation of orientations) {
    const raster = await photoOf(photo, { width: 3264, height: 2448 });
    const copying = await timed(() => turnedCopy(raster, orientation), runs);
    // every other time the picture lies on its side
    let turning = raster;
    const inPlace = await timed(() => {
      turning = turnInPlace(turning, orientation);
    }, runs);
    const times = [inPlace, copying].map(({ milliseconds }) => figure(milliseconds));
    rows.push([String(orientation), ...times]);
  }
  const caption = 'Turning 8 megapixels by their EXIF orientation, CPU time in ms';
  return { caption, columns: ['orientation', 'in place', 'as a copy'], rows };
}

/** Pixel by pixel into a new buffer. */
function turnedCopy({ width, height, data }: Raster, orientation: number): Uint32Array {
  const source = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const target = new Uint32Array(source.length);
  const isTurned = orientation >= 5;
  const isFlipped = [3, 4, 7, 8].includes(orientation);
  const isMirrored = [2, 3, 6, 7].includes(orientation);
  const [w, h] = isTurned ? [height, width] : [width, height];
  for (let y = 0; y < h; y += 1) {
    const row = isFlipped ? h - 1 - y : y;
    for (let x = 0; x < w; x += 1) {
      const column = isMirrored ? w - 1 - x : x;
      target[y * w + x] = source[isTurned ? column * width + row : row * width + column] ?? 0;
    }
  }
  return target;
}
