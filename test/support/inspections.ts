import type { AvifInspection } from '../../src/image/formats/avif/inspect.ts';
import type { JpegInspection } from '../../src/image/formats/jpeg/inspect.ts';
import type { PngInspection } from '../../src/image/formats/png/inspect.ts';
import type { WebpInspection } from '../../src/image/formats/webp/inspect.ts';

const common = {
  width: 800,
  height: 600,
  bitDepth: 8,
  hasAlpha: false,
  isGrey: false,
  frames: 1,
  orientation: 1,
  icc: [],
} as const;

/** Inspections of opaque 8-bit pictures, as `inspect` would give them, with changes. */
export function png(changes: Partial<PngInspection> = {}): PngInspection {
  return {
    ...common,
    type: 'png',
    colorType: 2,
    interlaced: false,
    paletteSize: 0,
    colorChunk: null,
    cicp: null,
    gamma: null,
    chromaticities: null,
    ...changes,
  };
}

/** 4:2:0 of a camera: fine enough that coding it again is worth it. */
export function jpeg(changes: Partial<JpegInspection> = {}): JpegInspection {
  const component = (id: number, factor: number) => ({
    id,
    horizontal: factor,
    vertical: factor,
    quantizationTable: 0,
  });
  return {
    ...common,
    type: 'jpeg',
    process: 'baseline',
    components: [component(1, 2), component(2, 1), component(3, 1)],
    colorSpace: 'ycbcr',
    quantizationTables: [new Uint16Array(64).fill(2)],
    restartInterval: 0,
    hasEndMarker: true,
    ...changes,
  };
}

export function webp(changes: Partial<WebpInspection> = {}): WebpInspection {
  return { ...common, type: 'webp', compression: 'lossy', ...changes };
}

export function avif(changes: Partial<AvifInspection> = {}): AvifInspection {
  return {
    ...common,
    type: 'avif',
    chroma: '420',
    nclx: null,
    rotation: 0,
    mirror: 'none',
    cleanAperture: null,
    isGrid: false,
    ...changes,
  };
}
