import sharp from 'sharp';
import { inspect } from '../../src/image/inspect/inspect.ts';
import { ForeignServer } from './foreign-server.ts';
import { type MutatedRequest, mutatedRequests } from './mutated-requests.ts';
import { canMeasureMemory, workerdMemory } from './resident-memory.ts';
import { startTestService, type TestService } from './service.ts';

export interface RunSettings {
  readonly seed: number;
  readonly indexes: Iterable<number>;
  /** Of how many pictures that come back one is decoded. */
  readonly decodeEach: number;
  /** How many sound files are sent in the end, to see what the local runtime keeps of any request. */
  readonly soundAfter: number;
}

/** What became of one file. */
export interface Outcome {
  readonly request: Omit<MutatedRequest, 'file'>;
  /** Null: no answer in time. */
  readonly status: number | null;
  readonly milliseconds: number;
  readonly isDecoded: boolean;
  /** What is wrong with the answer, in words; null: nothing. */
  readonly fault: string | null;
}

export interface RunReport {
  readonly outcomes: readonly Outcome[];
  /** Resident memory of the service in bytes, after every tenth file. */
  readonly memory: readonly number[];
  /** The same while sound files were sent. */
  readonly soundMemory: readonly number[];
}

/** How many files are under way at the same time. */
const parallel = 8;

/** Nothing that small takes so long, in milliseconds. */
const patience = 20_000;

/** What one user may ask for in a minute is less than what a fast machine does. */
const users = 6;

/** Files from one look at memory to the next. */
export const memoryEach = 10;

/** Sends damaged files to a service of its own, several at a time, and judges the answers. */
export async function runMutations({
  seed,
  indexes,
  decodeEach,
  soundAfter,
}: RunSettings): Promise<RunReport> {
  const requestOf = await mutatedRequests(seed);
  const foreign = new ForeignServer();
  await foreign.start();
  const service = await startTestService({
    UNCHARGED_PER_DAY: '10000000',
    FREE_FILES_PER_MONTH: '10000000',
    ALLOW_HTTP_SOURCES: 'true',
    PRIVATE_SOURCES: `127.0.0.1:${foreign.port}`,
  });
  try {
    const keys = await Promise.all(
      Array.from({ length: users }, (_, i) => service.keyOf(`mutations${i}@example.com`)),
    );
    const send = async (requests: Iterator<MutatedRequest>) => {
      const outcomes: Outcome[] = [];
      const memory: number[] = [];
      let pictures = 0;
      const work = async () => {
        for (let next = requests.next(); !next.done; next = requests.next()) {
          const { file: _, ...request } = next.value;
          const key = keys[request.index % users] ?? '';
          const started = performance.now();
          const answer = await answerTo(next.value, service, foreign, key);
          const milliseconds = performance.now() - started;
          const isDecoded = isPicture(answer) && pictures++ % decodeEach === 0;
          const fault = answer.fault ?? (isDecoded ? await pictureFault(answer) : null);
          outcomes.push({ request, status: answer.status, milliseconds, isDecoded, fault });
          if (canMeasureMemory && outcomes.length % memoryEach === 0) memory.push(workerdMemory());
        }
      };
      await Promise.all(Array.from({ length: parallel }, work));
      return { outcomes, memory };
    };
    const mutated = Iterator.from(indexes).map((index) => requestOf(index));
    const result = await send(mutated);
    const sound = Array.from({ length: soundAfter }, (_, i) => i).values();
    const { memory: soundMemory } = await send(sound.map((index) => requestOf(index, true)));
    return { ...result, soundMemory };
  } finally {
    await service.close();
    await foreign.stop();
  }
}

interface Answer {
  readonly status: number | null;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly fault: string | null;
}

async function answerTo(
  request: MutatedRequest,
  service: TestService,
  foreign: ForeignServer,
  key: string,
): Promise<Answer> {
  const { query, body, type } = carried(request, foreign);
  const headers = {
    Authorization: `Bearer ${key}`,
    ...(type !== null && { 'Content-Type': type }),
  };
  try {
    const response = await service.fetch(`/v1/optimize${query}`, {
      ...{ method: 'POST', headers, body },
      signal: AbortSignal.timeout(patience),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { status } = response;
    const words = status >= 500 ? bytes.toString('utf8', 0, 300) : null;
    return { status, headers: response.headers, body: bytes, fault: words };
  } catch (error) {
    const isHang = error instanceof DOMException && error.name === 'TimeoutError';
    const status = isHang ? null : 0;
    const words = isHang ? `no answer in ${patience / 1000} s` : String(error);
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

/** Animations are handed on as they came: only their containers are looked at. */
function isPicture({ status, body }: Answer): boolean {
  if (status !== 200) return false;
  const result = inspect(body);
  return result.kind !== 'image' || result.image.frames === 1;
}

/** Whether the picture can be decoded, to the size that the answer states. */
async function pictureFault({ body, headers }: Answer): Promise<string | null> {
  const stated = `${headers.get('Image-Width')} × ${headers.get('Image-Height')}`;
  try {
    const { autoOrient } = await sharp(body).metadata();
    const size = `${autoOrient.width} × ${autoOrient.height}`;
    if (size !== stated) return `a picture of ${size} in the place of ${stated}`;
    await sharp(body, { failOn: 'error' }).raw().toBuffer();
    return null;
  } catch (error) {
    return `a picture that cannot be decoded: ${error instanceof Error ? error.message : error}`;
  }
}
