import type { OriginalJob } from '../engines/original.ts';
import type { OptimizeOptions } from '../options.ts';
import { sourceQuality } from '../quality.ts';
import type { Refusal } from '../refusal.ts';
import type { Source } from '../source.ts';
import { automaticQuality, paletteQuality } from './automatic-quality.ts';
import type { Job } from './job.ts';
import { holdsSides } from './longest-side.ts';
import { colorObstacle } from './obstacles.ts';
import { rasterJob } from './raster-job.ts';

const original: OriginalJob = { engine: 'original', verify: false };
const verifiedOriginal: OriginalJob = { engine: 'original', verify: true };

/** Jobs for a picture that keeps its format and size: the original is always in the running, so nothing ever grows. */
export function keptJobs(source: Source, options: OptimizeOptions): readonly Job[] | Refusal {
  const { image } = source;
  const quality = options.quality === 'auto' ? automaticQuality(image.type) : options.quality;
  const exact = options.quality === 'lossless';
  const isAlone = options.format !== 'auto';
  const coded = () =>
    rasterJob(image.type, source, { quality, exact, target: null, background: null });
  switch (image.type) {
    case 'png':
      return [
        {
          engine: 'png-stream',
          quality: paletteQuality(source, quality),
          exact,
          isAlone,
        },
      ];
    case 'jpeg': {
      // coding at a quality that the file does not have any more would only add damage
      const isWorthwhile = quality !== 'lossless' && quality < sourceQuality(image);
      return [
        { engine: 'jpeg-coefficients', quality: isWorthwhile ? quality : 'lossless', isAlone },
      ];
    }
    case 'webp': {
      if (!holdsSides('webp', image)) return [verifiedOriginal];
      // samples that stay as they are keep what the file says of them
      const job = { ...coded(), grey: image.isGrey, icc: source.icc };
      // what was made lossless on purpose stays so
      if (options.quality === 'auto' && image.compression === 'lossless') {
        return [{ ...job, quality: 'lossless' }, original];
      }
      return exact && image.compression === 'lossy' ? [verifiedOriginal] : [job, original];
    }
    case 'avif':
      return exact || image.bitDepth > 8 || colorObstacle('avif', source, null)
        ? [verifiedOriginal]
        : [coded(), original];
  }
}
