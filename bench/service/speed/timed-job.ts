import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import type { TestService } from '../../../test/support/service.ts';
import { median } from '../../measures/averages.ts';
import { timed } from '../../measures/cpu-time.ts';
import type { Workerd } from '../workerd.ts';
import type { Job } from './jobs.ts';

/** Times in milliseconds of one request. */
export interface TimedJob {
  readonly job: Job;
  readonly pixels: number;
  /** The first one that is not 200, where there is one. */
  readonly status: number;
  /** As the service tells it: a figure, `lossless` or `original`. */
  readonly quality: string;
  /** That of sharp, on the same scale; null where it knows none. */
  readonly sharpQuality: number | null;
  readonly cpu: number;
  readonly wall: number;
  /** CPU time of sharp, with one thread. */
  readonly sharp: number;
}

/** Rounds, of which the median counts; each lasts so long, as CPU time is counted in hundredths of a second. */
const [rounds, roundTime] = [3, 400];

/** Requests that go before, so that the code is compiled; few where they take long. */
const warmUp = { least: 2, time: 1500 };

/** That of sharp, where the service has coded nothing with loss. */
const usualQuality = 80;

/** What is booked after an answer has left is part of its request. */
const afterwards = 40;

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
    await pause(afterwards);
    const [began, spent] = [performance.now(), workerd.spent()];
    let count = 0;
    let elapsed = 0;
    do {
      await request();
      count += 1;
      elapsed = performance.now() - began;
    } while (elapsed < roundTime);
    await pause(afterwards);
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
