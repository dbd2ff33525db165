import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { Archive } from '../../../../src/routes/sets/archive.ts';

// As in Workers.
vi.stubGlobal('scheduler', { wait });

it('an archive that is given up fails at once for a reader that has taken only some of it', async () => {
  const archive = new Archive({ owner: 'ann', client: new AbortController().signal });
  const left = archive.add('a.webp', new Uint8Array(2 ** 20));
  const reader = archive.body.getReader();
  await reader.read();
  // The next piece waits to be read, and the one behind it to be written.
  await wait(50);
  const closed = expect(reader.closed).rejects.toThrow('The archive was given up.');
  await archive.abort();
  await closed;
  expect(await left).toBe(false);
});
