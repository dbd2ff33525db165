import sharp from 'sharp';
import { makeLocalKey } from '../../../scripts/local/database.ts';
import { withOwnService } from '../../../scripts/local/service.ts';
import { inspect } from '../../../src/image/formats/registry.ts';
import type { Size } from '../../../src/image/pixels/raster.ts';
import { animationIn } from '../animations/judges.ts';
import { ForeignServer } from '../fetching-service.ts';
import { IsolateHeap } from '../isolate-heap.ts';
import { decodedJxl } from '../jxl.ts';
import { checkedFetch } from '../openapi-checker.ts';
import { Random } from '../random.ts';
import { below, chosen } from './mutation.ts';
import { type Format, formats, mutationOriginals } from './originals.ts';

interface RunSettings {
  readonly seed: number;
  readonly indexes: Iterable<number>;
  /** One of this many returned pictures is decoded. */
  readonly decodeEach: number;
}

/** The result of one file. */
export interface Outcome {
  readonly request: Omit<MutatedRequest, 'file'>;
  /** Null if there was no response in time. */
  readonly status: number | null;
  readonly milliseconds: number;
  readonly isDecoded: boolean;
  /** What is wrong with the response, in words; null if nothing is. */
  readonly fault: string | null;
}

export interface RunReport {
  readonly outcomes: readonly Outcome[];
  /** Bytes that the Worker still held after each fifth of the files. */
  readonly held: readonly number[];
}

/** Number of files in progress at the same time: enough to mix them; with more, long work only waits for shorter work. */
const parallel = 4;

/** In milliseconds, more than the half minute that the service allows any answer to take: longer is a hang. */
const requestTimeout = 40_000;

/** Several users, because the limit per minute for one user is lower than the speed of a fast machine. */
const users = 6;

/** Sends damaged files to its own service, several at a time, and checks the responses. */
export async function runMutations({ seed, indexes, decodeEach }: RunSettings): Promise<RunReport> {
  const requestOf = await mutatedRequests(seed);
  const foreign = new ForeignServer();
  await foreign.start();
  const vars = {
    UNCHARGED_PER_DAY: '999999999',
    UNCHARGED_CPU_SECONDS_PER_DAY: '999999999',
    FREE_FILES_PER_MONTH: '999999999',
    PRIVATE_SOURCES: `127.0.0.1:${foreign.port}`,
  };
  const run = withOwnService(async ({ origin, bindings, inspectorPort }) => {
    const keys = await bindings(async (env) => {
      const emails = Array.from({ length: users }, (_, i) => `mutations${i}@example.com`);
      return Promise.all(emails.map((email) => makeLocalKey(env, email)));
    });
    const outcomes: Outcome[] = [];
    const work = async (requests: Iterator<MutatedRequest>) => {
      for (let next = requests.next(); !next.done; next = requests.next()) {
        const { file: _, ...request } = next.value;
        const key = keys[userOf(request.index)] ?? '';
        const started = performance.now();
        const answer = await responseTo(next.value, origin, foreign, key);
        const milliseconds = performance.now() - started;
        const isDecoded = isPicture(answer) && isChosen(request.index, decodeEach);
        const fault = answer.fault ?? (isDecoded ? await pictureFault(answer, next.value) : null);
        outcomes.push({ request, status: answer.status, milliseconds, isDecoded, fault });
      }
    };
    const heap = await IsolateHeap.connect({ origin, inspectorPort });
    const held: number[] = [];
    for (const part of fifths([...indexes])) {
      const requests = Iterator.from(part).map((index) => requestOf(index));
      await Promise.all(Array.from({ length: parallel }, () => work(requests)));
      const bytes = await heap.held().catch(() => null);
      // It hangs: the outcomes up to here are reported.
      if (bytes === null) break;
      held.push(bytes);
    }
    heap.close();
    return { outcomes, held };
  }, vars);
  return run.finally(() => foreign.stop());
}

function fifths(indexes: readonly number[]): number[][] {
  return Array.from({ length: 5 }, (_, i) =>
    indexes.slice((i * indexes.length) / 5, ((i + 1) * indexes.length) / 5),
  );
}

/** Formats are used in rotation, and users within each format, because long work of a user waits for shorter work. */
function userOf(index: number): number {
  return (index + Math.floor(index / formats.length)) % users;
}

interface ReceivedResponse {
  readonly status: number | null;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly fault: string | null;
}

async function responseTo(
  request: MutatedRequest,
  origin: string,
  foreign: ForeignServer,
  key: string,
): Promise<ReceivedResponse> {
  const { query, body, type } = carried(request, foreign);
  const headers = {
    Authorization: `Bearer ${key}`,
    ...(type !== null && { 'Content-Type': type }),
  };
  try {
    const response = await checkedFetch(new URL(`/v1/optimize${query}`, origin), {
      ...{ method: 'POST', headers, body },
      signal: AbortSignal.timeout(requestTimeout),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { status } = response;
    const words = status >= 500 ? bytes.toString('utf8', 0, 300) : null;
    return { status, headers: response.headers, body: bytes, fault: words };
  } catch (error) {
    const isHang = error instanceof DOMException && error.name === 'TimeoutError';
    const status = isHang ? null : 0;
    const words = isHang ? `no answer in ${requestTimeout / 1000} s` : String(error);
    return { status, headers: new Headers(), body: Buffer.of(), fault: words };
  }
}

function carried(
  { index, file, options, carrier }: MutatedRequest,
  foreign: ForeignServer,
): { query: string; body: BodyInit; type: string | null } {
  switch (carrier) {
    case 'raw': {
      const query = new URLSearchParams(options).toString();
      return { query: query && `?${query}`, body: file, type: 'application/octet-stream' };
    }
    case 'form': {
      const form = new FormData();
      for (const [name, value] of Object.entries(options)) form.set(name, value);
      form.set('file', new Blob([file]), 'picture');
      return { query: '', body: form, type: null };
    }
    case 'url': {
      const url = foreign.serve(`/${index}`, file);
      return { query: '', body: JSON.stringify({ url, ...options }), type: 'application/json' };
    }
  }
}

/** Animated AVIFs are passed through: only their containers are checked. */
function isPicture({ status, body }: ReceivedResponse): boolean {
  if (status !== 200) return false;
  const result = inspect(body);
  return result.kind !== 'image' || result.image.type !== 'avif' || result.image.frames === 1;
}

/** Selects the same files in every run, some of each format, in rotation. */
function isChosen(index: number, decodeEach: number): boolean {
  return Math.floor(index / formats.length) % decodeEach === 0;
}

/**
 * What prevents the picture from being decoded to the size that the response states; null if nothing does. Decoders
 * differ in the damage that they accept: a passed-through file (`original`) is not at fault if this decoder rejects the
 * source, too.
 */
async function pictureFault(
  { body, headers }: ReceivedResponse,
  came: MutatedRequest,
): Promise<string | null> {
  const stated = `${headers.get('Image-Width')} × ${headers.get('Image-Height')}`;
  try {
    const isJxl = headers.get('Content-Type') === 'image/jxl';
    const { width, height } = await (isJxl ? decodedJxl(body) : sizeOf(body));
    const size = `${width} × ${height}`;
    if (size !== stated) return `a picture of ${size} in the place of ${stated}`;
    if (!isJxl) await decoded(body);
    return null;
  } catch (error) {
    const isHandedOn = headers.get('Image-Quality') === 'original';
    if (isHandedOn && !(await isDecodable(came.file))) return null;
    return `a picture that cannot be decoded: ${error instanceof Error ? error.message : error}`;
  }
}

/**
 * The size that a viewer shows. For a GIF, it is read from the header: libnsgif treats screens of more than 2,048
 * pixels as errors.
 */
async function sizeOf(file: Buffer): Promise<Size> {
  if (file.toString('latin1', 0, 4) === 'GIF8') return animationIn('gif', file);
  return (await sharp(file).metadata()).autoOrient;
}

/** All frames; only the first of an APNG, because sharp does not support more. */
function decoded(file: Uint8Array): Promise<Buffer> {
  return sharp(file, { animated: true, failOn: 'error' }).raw().toBuffer();
}

async function isDecodable(file: Uint8Array): Promise<boolean> {
  try {
    await decoded(file);
    return true;
  } catch {
    return false;
  }
}

/** One damaged file and how it is sent; always the same for the same seed and index. */
interface MutatedRequest {
  readonly index: number;
  readonly format: Format;
  /** The original, and the requested options. */
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
  readonly options: Readonly<Record<string, string>>;
  readonly carrier: 'raw' | 'form' | 'url';
}

const requestOptions: readonly Readonly<Record<string, string>>[] = [
  {},
  { format: 'webp' },
  { format: 'avif', width: '24' },
  { width: '50' },
  { quality: 'lossless' },
  { metadata: 'all' },
  { metadata: 'copyright', format: 'auto' },
  { width: '40', height: '40', fit: 'cover' },
  { format: 'jpeg', background: '#ffffff', quality: '60' },
  { format: 'jxl' },
  { format: 'jxl', quality: 'lossless', metadata: 'all' },
  { format: 'png' },
  { format: 'png', quality: 'lossless', background: '#ffffff' },
  { format: 'png', width: '30' },
  { format: 'jpeg', background: '#102030', height: '20' },
];

/** Creates the requests of a run, in any order; with `isSound`, the unchanged originals. */
export async function mutatedRequests(
  seed: number,
): Promise<(index: number, isSound?: boolean) => MutatedRequest> {
  const kinds = await mutationOriginals();
  return (index, isSound = false) => {
    const random = new Random(Math.imul(seed, 1_000_003) + index);
    const format = formats[index % formats.length] ?? 'other';
    const { originals, mutated } = kinds[format];
    const original = chosen(originals, random);
    const options = chosen(requestOptions, random);
    if (!original || !options) throw new Error('nothing to choose from');
    const whole = Uint8Array.from(original.file);
    const file = isSound ? whole : mutated(whole, random);
    const share = below(20, random);
    return {
      ...{ index, format, file, options },
      name: `${format} ${original.name}, ${JSON.stringify(options)}`,
      carrier: share < 3 ? 'url' : share < 6 ? 'form' : 'raw',
    };
  };
}
