import { setTimeout as pause } from 'node:timers/promises';
import sharp, { type Sharp } from 'sharp';
import type { TestService } from '../../../test/support/service.ts';
import type { Corpus } from '../../harness/section.ts';
import { timed } from '../../measures/cpu-time.ts';
import { median } from '../../measures/figures.ts';
import type { Query } from '../memory/configurations.ts';
import { bytesOf, type SourcePictures } from '../memory/source-pictures.ts';
import type { Workerd } from '../workerd.ts';

/** The kind of conversion, for the plot. */
export type Way =
  | 'JPEG kept'
  | 'JPEG to 800 px'
  | 'JPEG to WebP, AVIF'
  | 'PNG kept'
  /** Any format with a fixed quality, without a search. */
  | 'quality=77';

/** A typical request. */
export interface Job {
  readonly name: string;
  readonly way: Way;
  readonly file: Uint8Array<ArrayBuffer>;
  readonly query: Query;
  /** Whether sharp gets a quality; for PNG it chooses its own. */
  readonly takesQuality: boolean;
  /** The same operation with sharp. */
  bySharp(quality: number): Sharp;
}

const width = 800;

/** The libaom speed that the service uses: sharp's effort is nine minus the speed. */
const avifEffort = 3;

export async function typicalJobs(corpus: Corpus, pictures: SourcePictures): Promise<Job[]> {
  const photo = async (megapixels: number) =>
    bytesOf(await pictures.make('JPEG', megapixels * 1e6));
  const [one, four, twelve, large] = await Promise.all([1, 4, 12, 24].map(photo));
  const png = await bytesOf(await pictures.make('PNG', 1e6));
  const [graphic] = corpus.graphics;
  if (!one || !four || !twelve || !large || !graphic) throw new Error('a picture is missing');
  const tiny = new Uint8Array(await sharp(one).resize(64, 64).jpeg({ quality: 90 }).toBuffer());
  return [
    kept('JPEG 64 × 64', tiny),
    kept('JPEG 1 MP', one),
    kept('JPEG 1 MP', one, fixedQuality),
    kept('JPEG 4 MP', four),
    kept('JPEG 12 MP', twelve),
    kept('JPEG 24 MP', large),
    ...(['jpeg', 'webp', 'avif'] as const).map((format) => reduced('JPEG 12 MP', twelve, format)),
    ...(['webp', 'avif'] as const).flatMap((format) => [
      converted('JPEG 1 MP', one, format),
      converted('JPEG 1 MP', one, format, fixedQuality),
    ]),
    keptPng(`PNG, ${graphic.name}`, graphic.bytes),
    keptPng('PNG, photo 1 MP', png),
    keptPng('PNG, photo 1 MP', png, fixedQuality),
  ];
}

/** A fixed quality, with which nothing is searched. */
const fixedQuality = { quality: '77' } as const;

/** The name of a job, including its query. */
function named(name: string, query: Query): string {
  return [name, ...Object.entries(query).map(([option, value]) => `${option}=${value}`)].join(', ');
}

function wayOf(usual: Way, { quality }: Query): Way {
  return quality === undefined ? usual : 'quality=77';
}

function kept(name: string, file: Uint8Array<ArrayBuffer>, query: Query = {}): Job {
  const bySharp = (quality: number) => sharp(file).jpeg({ quality, mozjpeg: true });
  const way = wayOf('JPEG kept', query);
  return { name: named(`${name}, kept`, query), way, file, query, takesQuality: true, bySharp };
}

function keptPng(name: string, file: Uint8Array<ArrayBuffer>, query: Query = {}): Job {
  const bySharp = () => sharp(file).png({ palette: true, effort: 7, compressionLevel: 9 });
  const way = wayOf('PNG kept', query);
  return { name: named(`${name}, kept`, query), way, file, query, takesQuality: false, bySharp };
}

function reduced(
  name: string,
  file: Uint8Array<ArrayBuffer>,
  format: 'jpeg' | 'webp' | 'avif',
): Job {
  return {
    name: `${name} → ${format}, ${width} px`,
    way: 'JPEG to 800 px',
    file,
    query: { format, width: String(width) },
    takesQuality: true,
    bySharp: (quality) => coded(sharp(file).resize({ width }), format, quality),
  };
}

function converted(
  name: string,
  file: Uint8Array<ArrayBuffer>,
  format: 'webp' | 'avif',
  query: Query = {},
): Job {
  return {
    name: named(`${name} → ${format}`, query),
    way: wayOf('JPEG to WebP, AVIF', query),
    file,
    query: { format, ...query },
    takesQuality: true,
    bySharp: (quality) => coded(sharp(file), format, quality),
  };
}

function coded(picture: Sharp, format: 'jpeg' | 'webp' | 'avif', quality: number): Sharp {
  switch (format) {
    case 'jpeg':
      return picture.jpeg({ quality, mozjpeg: true });
    case 'webp':
      return picture.webp({ quality });
    case 'avif':
      return picture.avif({ quality, effort: avifEffort });
  }
}

/** Times of one request in milliseconds. */
export interface TimedJob {
  readonly job: Job;
  readonly pixels: number;
  /** The first status that is not 200; 200 if there is none. */
  readonly status: number;
  /** The service's quality: a number, `lossless` or `original`. */
  readonly quality: string;
  /** sharp's quality on the same scale; null if sharp chooses its own. */
  readonly sharpQuality: number | null;
  readonly cpu: number;
  readonly wall: number;
  /** CPU time of sharp with one thread. */
  readonly sharp: number;
}

/**
 * Number of rounds, of which the median counts, and their minimum duration in milliseconds, because CPU time is counted
 * in hundredths of a second.
 */
const [rounds, roundTime] = [3, 400];

/** Warm-up, so that the code is compiled: the minimum number of requests, and the minimum time in milliseconds. */
const warmUp = { least: 2, time: 1500 };

/** sharp's quality if the service has coded nothing lossy. */
const usualQuality = 80;

/** Milliseconds in which work after a response, such as settlement, still counts toward its request. */
const settleTime = 40;

export async function timedJob(
  job: Job,
  { service, workerd }: { service: TestService; workerd: Workerd },
): Promise<TimedJob> {
  const search = `?${new URLSearchParams(job.query)}`;
  let [status, quality] = [200, ''];
  const request = async () => {
    const response = await fetch(new URL(`/v1/optimize${search}`, service.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}` },
      body: job.file,
    });
    await response.arrayBuffer();
    if (status === 200) ({ status } = response);
    quality = response.headers.get('Image-Quality') ?? '–';
  };
  const start = performance.now();
  for (let i = 0; i < warmUp.least || performance.now() - start < warmUp.time; i += 1) {
    await request();
  }
  const times = { cpu: [] as number[], wall: [] as number[] };
  while (times.cpu.length < rounds) {
    await pause(settleTime);
    const [began, spent] = [performance.now(), workerd.spent()];
    let count = 0;
    let elapsed = 0;
    do {
      await request();
      count += 1;
      elapsed = performance.now() - began;
    } while (elapsed < roundTime);
    await pause(settleTime);
    times.wall.push(elapsed / count);
    times.cpu.push((workerd.spent() - spent) / count);
  }
  const sharpQuality = job.takesQuality ? Number(quality) || usualQuality : null;
  const bySharp = await timed(() => job.bySharp(sharpQuality ?? usualQuality).toBuffer(), rounds);
  const { width, height } = await sharp(job.file).metadata();
  return {
    job,
    pixels: width * height,
    status,
    quality,
    sharpQuality,
    cpu: median(times.cpu) ?? 0,
    wall: median(times.wall) ?? 0,
    sharp: bySharp.milliseconds,
  };
}
