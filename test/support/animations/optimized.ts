import { expectPicture } from '../answers.ts';
import type { TestService } from '../service.ts';
import { timelineOf } from './judges.ts';
import type { AnimationType, Timeline } from './timeline.ts';

/** The service's result for an animation, and its timeline. */
export async function optimizedAnimation(
  service: TestService,
  file: Uint8Array<ArrayBuffer>,
  query: string,
): Promise<{ headers: Headers; body: Buffer; type: AnimationType; timeline: Timeline }> {
  const response = await service.optimize(file, query);
  const body = await expectPicture(response);
  const { headers } = response;
  const type = headers.get('Content-Type')?.replace('image/', '') as AnimationType;
  return { headers, body, type, timeline: await timelineOf(type, body) };
}
