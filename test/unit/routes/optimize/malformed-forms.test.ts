import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/errors.ts';
import { HeldBytes } from '../../../../src/routes/optimize/held-body.ts';
import { readMultipart } from '../../../../src/routes/optimize/multipart.ts';
import { mutatedBytes } from '../../../support/mutations/jpeg.ts';
import { below, chosen } from '../../../support/mutations/mutation.ts';
import { Random } from '../../../support/random.ts';

const boundary = 'a-boundary';
const start = `--${boundary}\r\n`;
const end = `--${boundary}--\r\n`;

const disposition = (parameters: string) => `Content-Disposition: form-data; ${parameters}\r\n`;
const field = (name: string, value: string) =>
  `${start}${disposition(`name="${name}"`)}\r\n${value}\r\n`;
const file = `${start}${disposition('name="file"; filename="a.png"')}Content-Type: image/png\r\n\r\nsome bytes\r\n`;

/** The outcome for a form: it is read, or refused with an error code. */
async function outcomeOf(form: Uint8Array): Promise<string> {
  const held = new HeldBytes({ owner: 'someone', announced: null, renew: () => {} });
  const body: ReadableStream<Uint8Array> = new ReadableStream({
    type: 'bytes',
    start(controller) {
      if (form.length > 0) controller.enqueue(form.slice());
      controller.close();
    },
  });
  try {
    await readMultipart(body, `multipart/form-data; boundary=${boundary}`, held);
    return 'read';
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  } finally {
    held.end();
  }
}

const outcomeOfText = (form: string) => outcomeOf(new TextEncoder().encode(form));

describe('a malformed form', () => {
  it.each([
    ['whose first part has no headers', `${start}no headers\r\n${file}${end}`],
    [
      'whose first part has headers that do not end',
      `${start}${disposition('name="width"')}${file}${end}`,
    ],
    [
      'with headers that do not end after a field',
      `${field('width', '8')}${start}${disposition('name="height"')}${file}${end}`,
    ],
    [
      'with headers that do not end after the file',
      `${file}${start}${disposition('name="height"')}${end}`,
    ],
    ['with a part that has no disposition', `${start}X: y\r\n\r\n8\r\n${file}${end}`],
    [
      'with a part that is an attachment',
      `${start}Content-Disposition: attachment; name="width"\r\n\r\n8\r\n${file}${end}`,
    ],
    ['with a part without a name', `${start}${disposition('')}\r\n8\r\n${file}${end}`],
    ['with a header without a name', `${start}: form-data\r\n\r\n8\r\n${file}${end}`],
    [
      'with a file name that cannot be decoded',
      file.replace('filename="a.png"', "filename*=UTF-8''%E0%A4%A") + end,
    ],
    ['with two files', file + file + end],
    ['without a file', field('width', '8') + end],
    ['without an end', file],
    ['without a boundary', 'hello'],
  ])('%s is an invalid request', async (_what, form) => {
    expect(await outcomeOfText(form)).toBe('invalid_request');
  });

  it('is never a fault of the service, whatever is wrong with it', { tags: 'slow' }, async () => {
    const outcomes = new Map<string, number>();
    for (let seed = 1; seed <= 3000; seed += 1) {
      const random = new Random(seed);
      const form = seed % 2 ? mutatedBytes(whole, random) : rearranged(random);
      const outcome = await outcomeOf(form).catch((error: unknown) => `${error} (seed ${seed})`);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()].sort()).toEqual(['invalid_request', 'read']);
    for (const times of outcomes.values()) expect(times).toBeGreaterThan(100);
  });
});

const text = field('format', 'webp') + field('width', '800') + file + field('fit', 'inside') + end;
const whole = new TextEncoder().encode(text);

/** The form with some of its lines removed, repeated, moved or broken. */
function rearranged(random: Random): Uint8Array {
  let lines = text.split('\r\n');
  for (let left = 1 + below(3, random); left > 0; left -= 1) {
    const at = below(lines.length, random);
    const line = lines[at] ?? '';
    const changed = [
      [],
      [line, line],
      ['', line],
      [line.slice(0, below(line.length, random))],
      [line.replace(/[:;="]/, '')],
      [chosen(lines, random) ?? ''],
    ];
    lines = lines.toSpliced(at, 1, ...(chosen(changed, random) ?? []));
  }
  return new TextEncoder().encode(lines.join('\r\n'));
}
