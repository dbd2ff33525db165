import { unzipSync } from 'fflate';
import { itemsOf, readSetOptions } from '../../../../src/image/engine.ts';
import { inspect } from '../engine/index.ts';
import { type ErrorCode, OptimizeError } from '../errors.ts';
import { expectedType } from '../files/destination.ts';
import { formatName, imageTypeOf, isMediaType, type MediaType, partsInSet } from '../images.ts';
import type { SetOptions } from '../options.ts';
import { damageIn } from '../verify/damage.ts';
import { countIn, maxTextLength, type Read } from './answer.ts';

/** A result of a set. */
export interface SetFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Media type of the result. */
  readonly type: MediaType;
  /** That of its box in pixels, which names it. */
  readonly boxWidth: number;
  readonly width: number;
  readonly height: number;
  /** The encoder's quality setting: a number, `lossless` or `original`. */
  readonly quality: string;
  /** SSIMULACRA2 score; null if it was not measured. */
  readonly score: number | null;
}

/** Several results of an image, by a service or made on this machine. */
export interface SetAnswer {
  /** Media type of the original. */
  readonly inputType: string;
  /** Size of the upright original in pixels. */
  readonly width: number;
  readonly height: number;
  /** The ThumbHash of the widest result in base64; null if there is none. */
  readonly placeholder: string | null;
  readonly results: readonly SetFile[];
  /** The results that could not be made; `width` is that of the box. */
  readonly failed: readonly {
    readonly width: number;
    readonly type: string;
    readonly error: OptimizeError;
  }[];
  /** Files left on the account; null if the service does not say, or was not asked. */
  readonly quotaRemaining: number | null;
}

/** The last file of the archive (`manifest.json`), as far as it is used. */
interface Manifest {
  readonly placeholder: string | null;
  readonly results: readonly {
    readonly file: string;
    readonly type: string;
    readonly width: number;
    readonly height: number;
    readonly bytes: number;
    readonly score: number | null;
    readonly quality: number | string;
  }[];
  readonly failed: readonly {
    readonly width: number;
    readonly type: string;
    readonly code: string;
    readonly detail: string;
  }[];
}

/** An image as it was sent, with the options of its query. */
interface SentSet {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly set: SetOptions;
}

/**
 * Reads a 200 response. It is trusted only if it is about the image that was sent, has all results that were asked for,
 * or says why not, and each of them is whole.
 * @throws OptimizeError if the engine fails that verifies it; the reason of the signal if that is aborted
 */
export async function readSetAnswer(
  archive: Uint8Array<ArrayBuffer>,
  headers: Headers,
  sent: SentSet,
  signal?: AbortSignal,
): Promise<Read<SetAnswer>> {
  const inputType = imageTypeOf(sent.bytes);
  const isOfService =
    headers.get('Content-Type') === 'application/zip' &&
    headers.get('Image-Input-Type') === inputType;
  if (!isOfService || inputType === null) {
    return { kind: 'failed', error: new OptimizeError('unexpected_answer') };
  }
  const read = filesIn(archive);
  if (read === null) return damaged('the archive is damaged or incomplete');
  const { files, manifest } = read;
  const { width, height } = await inspect(sent.bytes);
  const wanted = new Map(
    wantedOf(sent, { width, height }, inputType).map((one) => [`${one.width} ${one.type}`, one]),
  );
  const results: SetFile[] = [];
  for (const one of manifest.results) {
    const { file, type, quality, score, ...facts } = one;
    const boxWidth = partsInSet(file)?.width ?? 0;
    const item = wanted.get(`${boxWidth} ${type}`);
    const bytes = files.get(file);
    if (!item || !bytes || !isMediaType(type)) return damaged('it is not what was asked for');
    wanted.delete(`${boxWidth} ${type}`);
    if (bytes.length !== facts.bytes) return damaged('it has arrived incomplete');
    const size = { width: facts.width, height: facts.height };
    // an image that comes back unchanged may be odd from the start
    const isUnchanged = Buffer.from(bytes).equals(sent.bytes);
    const single = { bytes: sent.bytes, options: item.options };
    const damage = isUnchanged ? null : await damageIn(bytes, { type, ...size }, single, signal);
    if (damage !== null) return damaged(damage);
    results.push({ bytes, type, boxWidth, ...size, quality: String(quality), score });
  }
  const failed = manifest.failed.map(({ width, type, code, detail }) => {
    wanted.delete(`${width} ${type}`);
    return { width, type, error: new OptimizeError(code as ErrorCode, { detail }) };
  });
  if (wanted.size > 0) return damaged('not all results have arrived');
  const { placeholder } = manifest;
  const quotaRemaining = countIn(headers, 'Quota-Remaining');
  const answer = { inputType, width, height, placeholder, results, failed, quotaRemaining };
  return { kind: 'answer', answer };
}

/** What the results should be: with the options that a call for each of them would have. */
function wantedOf(
  { set }: SentSet,
  upright: { readonly width: number; readonly height: number },
  inputType: MediaType,
) {
  return itemsOf(readSetOptions(set), upright, formatName(inputType)).map(({ width, options }) => {
    const { height, fit, format } = options;
    const box = height === null ? { width } : { width, height, fit };
    return { width, type: expectedType(format, inputType), options: { ...box, format } };
  });
}

/** The files of an archive, and its manifest; null if it is damaged. */
function filesIn(
  archive: Uint8Array,
): { files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>; manifest: Manifest } | null {
  try {
    // services store their files, so that none of them can become larger than what has arrived
    const stored = unzipSync(archive, { filter: ({ compression }) => compression === 0 });
    const unzipped = Object.entries(stored).map(
      ([name, bytes]) => [name, Uint8Array.from(bytes)] as const,
    );
    const files = new Map(unzipped);
    const manifest: unknown = JSON.parse(new TextDecoder().decode(files.get('manifest.json')));
    return isManifest(manifest) ? { files, manifest } : null;
  } catch {
    return null;
  }
}

type Kind = 'string' | 'number' | 'null';

const kindsOfManifest: Readonly<Record<string, readonly Kind[]>> = {
  placeholder: ['string', 'null'],
};

const kindsOfResult: Readonly<Record<string, readonly Kind[]>> = {
  ...{ file: ['string'], type: ['string'], quality: ['number', 'string'] },
  ...{ width: ['number'], height: ['number'], bytes: ['number'], score: ['number', 'null'] },
};

const kindsOfFailed: Readonly<Record<string, readonly Kind[]>> = {
  ...{ width: ['number'], type: ['string'], code: ['string'], detail: ['string'] },
};

function isManifest(value: unknown): value is Manifest {
  if (!hasKinds(value, kindsOfManifest)) return false;
  const { results, failed } = value;
  const areOf = (list: unknown, kinds: typeof kindsOfResult) =>
    Array.isArray(list) && list.every((one) => hasKinds(one, kinds));
  return areOf(results, kindsOfResult) && areOf(failed, kindsOfFailed);
}

function hasKinds(
  value: unknown,
  kinds: Readonly<Record<string, readonly Kind[]>>,
): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const fields: Record<string, unknown> = { ...value };
  return Object.entries(kinds).every(([name, allowed]) => {
    const field = fields[name];
    const kind = field === null ? 'null' : typeof field;
    const isLong = typeof field === 'string' && field.length > maxTextLength;
    return allowed.some((one) => one === kind) && !isLong;
  });
}

function damaged(reason: string): Read<never> {
  const detail = `The results are not used, since ${reason}: run this again.`;
  const error = new OptimizeError('unexpected_answer', { detail, stop: null });
  return { kind: 'damaged', error };
}
