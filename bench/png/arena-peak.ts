import { Arena } from '../../src/image/codecs/arena.ts';
import { arena } from '../../src/image/codecs/runtime.ts';

/**
 * How far `work` writes into the arena at most, in bytes: looked at whenever a step is about to wipe
 * it, and at the end. The arena itself is larger, since it never shrinks.
 */
export function arenaPeak(work: () => void): number {
  let most = 0;
  const look = () => {
    most = Math.max(most, writtenBytes());
  };
  arena.wipe();
  arena.wipe = () => {
    look();
    Arena.prototype.wipe.call(arena);
  };
  try {
    work();
    look();
  } finally {
    Reflect.deleteProperty(arena, 'wipe');
  }
  return most;
}

function writtenBytes(): number {
  const words = new Int32Array(arena.memory.buffer);
  let end = words.length;
  while (end > 0 && words[end - 1] === 0) end -= 1;
  return end * words.BYTES_PER_ELEMENT;
}
