import { freeMemory } from '../../../container/workspace.ts';
import { bytesPerRasterPixel, type Raster, type Size } from '../../../pixels/raster.ts';
import { codec } from '../../../wasm/codec.ts';
import module from '../../../wasm/modules/avif-encode.wasm';
import {
  type CodedCell,
  type CodedPlanes,
  type Content,
  planesOf,
} from '../container/coded-cell.ts';
import { linkedLibaom, type Pointer } from './plane-decoders.ts';
import {
  type AvifSettings,
  contentOf,
  libaomSpeed,
  quantizerOf,
  searchesCopies,
} from './settings.ts';

/** The exports of codecs/libaom/encoder.c. */
interface LibaomExports {
  /** Returns the place for two rows of RGBA; 0 if there is no room. */
  begin(width: number, height: number, content: number): Pointer;
  /** Takes row `y`, which is even, and the one below. */
  take(y: number): void;
  /** Returns the place of the coded data and their length; 0 if it failed. */
  encode(quantizer: number, speed: number, searches: number): Pointer;
}

const encoder = codec(
  'avif-encode',
  (arena) => {
    return { memory: arena.memory, exports: linkedLibaom<LibaomExports>(module, arena) };
  },
  'as-needed',
);

/** The numbers of what planes hold in encoder.c. */
const contents: Readonly<Record<Content, number>> = {
  ...{ none: 0, halved: 1, full: 2, colors: 3, alpha: 4 },
};

/** Encodes a cell; its alpha, too, unless it is opaque. */
export function codedCell(
  raster: Raster,
  settings: AvifSettings,
  { hasAlpha }: { readonly hasAlpha: boolean },
): CodedCell {
  const color = codedPlanes(raster, settings, contentOf(settings));
  const isTransparent = hasAlpha && raster.data.some((code, i) => (i & 3) === 3 && code < 255);
  return { color, alpha: isTransparent ? codedPlanes(raster, settings, 'alpha') : null };
}

/** Encodes the alpha of an opaque cell. */
export function codedWhite({ width, height }: Size): CodedPlanes {
  const data = new Uint8ClampedArray(bytesPerRasterPixel * width * height).fill(255);
  try {
    return codedPlanes({ width, height, data }, whiteSettings, 'alpha');
  } finally {
    freeMemory(data);
  }
}

const whiteSettings = { quality: 'lossless', kind: 'drawn', speed: 3 } as const;

function codedPlanes(
  raster: Raster,
  settings: Omit<AvifSettings, 'chroma'>,
  content: Content,
): CodedPlanes {
  const { data, width, height } = raster;
  const { quality } = settings;
  const coded = encoder.run(({ memory, exports }) => {
    const rows = exports.begin(width, height, contents[content]) >>> 0;
    if (rows === 0) return null;
    const rowBytes = bytesPerRasterPixel * width;
    for (let y = 0; y < height; y += 2) {
      const two = data.subarray(y * rowBytes, Math.min(y + 2, height) * rowBytes);
      new Uint8Array(memory.buffer).set(two, rows);
      exports.take(y);
    }
    const at =
      exports.encode(
        quality === 'lossless' ? 0 : quantizerOf(quality),
        libaomSpeed(settings),
        searchesCopies(settings) ? 1 : 0,
      ) >>> 0;
    if (at === 0) return null;
    const [from = 0, length = 0] = new Uint32Array(memory.buffer, at, 2);
    return new Uint8Array(memory.buffer, from, length).slice();
  });
  return planesOf(coded, raster, content);
}
