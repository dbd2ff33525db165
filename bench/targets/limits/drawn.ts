import type { OutputType } from '../../../src/image/formats/facts.ts';
import { Random } from '../../../test/support/random.ts';
import type { Subject } from '../subjects.ts';

/** A picture, what it shall become, and how long that may be. */
export interface Drawn {
  readonly subject: Subject;
  readonly format: OutputType;
  /** In bytes. */
  readonly limit: number;
}

const seed = 0x6c696d69;
const usualCount = 200;

/** Of the bytes of the source. */
const shares = { least: 0.05, most: 0.8 } as const;

/** The least that `max_bytes` may be. */
const leastLimit = 1000;

/** Where few pictures of each folder are wanted, so many limits for each of these. */
const limitsEach = 5;

/** The same ones for the same pictures. */
export function drawnLimits(subjects: readonly Subject[], filesEach: number | undefined): Drawn[] {
  const random = new Random(seed);
  const count =
    filesEach === undefined ? usualCount : Math.min(usualCount, limitsEach * subjects.length);
  return Array.from({ length: count }, () => drawn(random, subjects)).filter((one) => one !== null);
}

function drawn(random: Random, subjects: readonly Subject[]): Drawn | null {
  const subject = oneOf(random, subjects);
  const format = subject && oneOf(random, subject.formats);
  const share = Math.exp(random.between(Math.log(shares.least), Math.log(shares.most)));
  if (!subject || !format) return null;
  const limit = Math.max(leastLimit, Math.round(share * subject.file.bytes.length));
  return { subject, format, limit };
}

function oneOf<Item>(random: Random, items: readonly Item[]): Item | undefined {
  return items[Math.floor(random.between(0, items.length))];
}
