import type { OutputType } from '../../../src/image/formats/facts.ts';
import { Random } from '../../../test/support/random.ts';
import type { Subject } from '../subjects.ts';

/** A picture, its output format, and its maximum length. */
export interface Drawn {
  readonly subject: Subject;
  readonly format: OutputType;
  /** Maximum length in bytes. */
  readonly limit: number;
}

const seed = 0x6c696d69;
const usualCount = 200;

/** Range of the limit, as a fraction of the source's bytes. */
const shares = { least: 0.05, most: 0.8 } as const;

/** The minimum value of `max_bytes`. */
const minLimit = 1000;

/** Number of limits per picture, if the number of pictures per folder is limited. */
const limitsEach = 5;

/** Draws random limits; equal pictures yield equal limits. */
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
  const limit = Math.max(minLimit, Math.round(share * subject.file.bytes.length));
  return { subject, format, limit };
}

function oneOf<Item>(random: Random, items: readonly Item[]): Item | undefined {
  return items[Math.floor(random.between(0, items.length))];
}
