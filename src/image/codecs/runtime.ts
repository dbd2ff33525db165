import { Arena } from './arena.ts';
import { CodecInstance, type Opener } from './instance.ts';

/** The arena of this isolate. */
export const arena = new Arena();

export function codec<Api>(name: string, open: Opener<Api>): CodecInstance<Api> {
  return new CodecInstance(name, arena, open);
}
