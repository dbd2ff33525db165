import sharp from 'sharp';
import type { OptimizeOptions } from '../../../src/image/pipeline/options.ts';
import type { Raster } from '../../../src/image/pixels/raster.ts';
import type { CorpusFile } from '../../harness/section.ts';
import { onGrey } from '../../likeness/likeness.ts';
import type { Scorers } from '../../likeness/scorers.ts';
import { runsFor, type Timed, timed } from '../../measures/cpu-time.ts';
import { piped } from '../peers.ts';
import { answer, bare, byJsquashPng, layoutOf, Oxipng } from './coders.ts';
import { plainDecoded } from './plain-decoder.ts';
import type { Version, Versions } from './side-by-side.ts';

/** One coding; all members are undefined if it failed. */
export interface Coding {
  /** Bytes of the PNG without metadata and color profile. */
  readonly bytes: number | undefined;
  /** SSIMULACRA2 on mid gray; 100 if the visible pixels are unchanged. */
  readonly score: number | undefined;
  /** CPU time in milliseconds. */
  readonly time: number | undefined;
}

/** The results of one PNG. */
export interface Row {
  readonly name: string;
  readonly fileBytes: number;
  readonly pixels: number;
  readonly auto: Coding;
  /** Pixel format of the automatic result. */
  readonly layout: string;
  readonly lossless: Coding;
  /** Whether every sample of the lossless result is unchanged, including colors under full transparency. */
  readonly isSame: boolean | undefined;
  /** pngquant, then oxipng. */
  readonly pngquant: Coding;
  /** sharp with a palette from libimagequant. */
  readonly sharp: Coding;
  /** @jsquash/png, then oxipng. */
  readonly jsquash: Coding;
  readonly oxipng: Coding;
  /**
   * WebAssembly memory in bytes: what the kernel uses of the arena, and oxipng's memory without its copy of the file.
   */
  readonly memory: number | undefined;
  readonly theirMemory: number;
}

/** Kept for timing, so that its code is compiled and its memory allocated, as in a service. */
const warmInstance = new Oxipng();

/** @throws Error for a PNG that the plain decoder or oxipng cannot read */
export async function measured(
  { name, bytes: file }: CorpusFile,
  quality: OptimizeOptions['quality'],
  scorers: Scorers,
): Promise<{ readonly row: Row; readonly versions: Versions }> {
  const original = plainDecoded(file);
  const shown = onGrey(original);
  const input = bare(file);
  const runs = runsFor(original);

  const auto = await timed(() => answer(file, quality), runs);
  const lossless = await timed(() => answer(file, 'lossless'), runs);
  const pngquant = await timed(() => quantized(input), runs);
  const palette = await timed(() => bySharp(input), runs);
  const jsquash = await timed(() => warmInstance.optimise(byJsquashPng(input)), runs);
  const oxipng = await timed(() => warmInstance.optimise(input), runs);
  const single = new Oxipng();
  single.optimise(input);

  const coding = async (made: Timed<Uint8Array | undefined>) => scored(made, shown, scorers);
  const [autoCoding, pngquantCoding, sharpCoding] = await Promise.all(
    [auto, pngquant, palette].map(coding),
  );
  const exact = lossless.result;
  const row: Row = {
    name,
    fileBytes: file.length,
    pixels: original.width * original.height,
    auto: autoCoding ?? none,
    layout: auto.result ? layoutOf(auto.result) : 'not coded',
    lossless: { ...sizeAndTime(lossless), score: 100 },
    isSame: exact && same(original.data, plainDecoded(exact).data),
    pngquant: pngquantCoding ?? none,
    sharp: sharpCoding ?? none,
    jsquash: { ...sizeAndTime(jsquash), score: 100 },
    oxipng: { ...sizeAndTime(oxipng), score: 100 },
    memory: auto.result && arenaPeak(() => answer(file, quality)),
    theirMemory: single.bytes - input.length,
  };
  const versions = {
    original: { file, shown },
    ours: versionOf(auto.result),
    theirs: versionOf(pngquant.result),
  };
  return { row, versions };
}

const none: Coding = { bytes: undefined, score: undefined, time: undefined };

function quantized(input: Uint8Array): Uint8Array | undefined {
  const palette = byPngquant(input);
  return palette && warmInstance.optimise(palette);
}

/** sharp's defaults for palettes. */
async function bySharp(input: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await sharp(input).png({ palette: true }).toBuffer());
}

async function scored(
  made: Timed<Uint8Array | undefined>,
  shown: Raster,
  scorers: Scorers,
): Promise<Coding> {
  const coded = versionOf(made.result);
  if (!coded) return none;
  const looksSame = same(shown.data, coded.shown.data);
  const score = looksSame ? 100 : await scorers.likeness(shown, coded.shown);
  return { ...sizeAndTime(made), score };
}

function sizeAndTime({ result, milliseconds }: Timed<Uint8Array | undefined>) {
  return { bytes: result && bare(result).length, time: result && milliseconds };
}

function versionOf(file: Uint8Array | undefined): Version | undefined {
  return file && { file, shown: onGrey(plainDecoded(file)) };
}

function same(a: ArrayBufferView, b: ArrayBufferView): boolean {
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

/**
 * Peak of the arena memory used by the PNG kernel during `work`, in bytes. The arena itself is larger, because it never
 * shrinks.
 */
function arenaPeak(work: () => void): number {
  let most = 0;
  const { Instance } = WebAssembly;
  WebAssembly.Instance = new Proxy(Instance, {
    construct(_, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
      const { exports } = new Instance(module, imports);
      const { release, taken } = exports;
      if (typeof release !== 'function' || typeof taken !== 'function') return { exports };
      const recordPeak = () => {
        most = Math.max(most, taken());
      };
      // Memory is released only by `release`, and allocation is complete when a stream has ended.
      const watched = ['release', 'endWriter'].map((name) => [
        name,
        before(exports[name], recordPeak),
      ]);
      return { exports: { ...exports, ...Object.fromEntries(watched) } };
    },
  });
  try {
    work();
  } finally {
    WebAssembly.Instance = Instance;
  }
  return most;
}

/** Wraps a function so that `recordPeak` is called before it. */
function before(call: WebAssembly.ExportValue | undefined, recordPeak: () => void) {
  return (...args: unknown[]): unknown => {
    recordPeak();
    return typeof call === 'function' ? Reflect.apply(call, undefined, args) : undefined;
  };
}

/** pngquant with its default quality at speed 3; undefined if it is not installed or refuses the file. */
function byPngquant(file: Uint8Array): Uint8Array | undefined {
  return piped('pngquant', ['--speed', '3', '-'], file);
}
