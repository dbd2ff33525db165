import type { JpegCoefficientsJob } from '../engines/jpeg-coefficients.ts';
import type { OriginalJob } from '../engines/original.ts';
import type { PngStreamJob } from '../engines/png-stream.ts';
import type { RasterJob } from '../engines/raster.ts';

/** One way to make the answer, ready for its engine. */
export type Job = JpegCoefficientsJob | RasterJob | PngStreamJob | OriginalJob;
