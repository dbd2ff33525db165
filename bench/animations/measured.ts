import type { AnimationType } from '../../test/support/animations/timeline.ts';
import type { CorpusFile } from '../harness/section.ts';
import { memoized, type PeerBytes, peerBytesAt, type Rated } from './curve.ts';
import {
  byGif2webp,
  byGifsicle,
  hasGif2webp,
  hasGifsicle,
  lossyLevels,
  mixedQualities,
  plainQuality,
} from './peers.ts';
import { type Answer, answerTo, bytesOf, producedLossless } from './results.ts';
import type { Scores, Subject } from './subject.ts';

/** Bytes of one lossless coder. */
interface LosslessBytes {
  readonly produced: number;
  /** Bytes of the shorter of the result and the original. */
  readonly kept: number;
}

/** A result with its score, and the bytes that a peer needs to match it. */
export interface Compared extends Rated {
  readonly quality: string;
  readonly peer: PeerBytes;
}

/** A result of `quality=auto` in one format. */
export interface Reached {
  readonly name: string;
  readonly from: AnimationType;
  readonly to: AnimationType;
  readonly answer: Answer;
  /** Null if the request was refused, or the animation is too small to be scored. */
  readonly scores: Scores | null;
}

/** WebP files that gif2webp makes of a GIF, with their scores. */
export interface Gif2webp {
  readonly plain: Rated;
  readonly mixed: Rated;
  /** Bytes at the score of our result, or at a better one. */
  readonly atScore: PeerBytes;
}

/** The results of one GIF. */
export interface MeasuredGif {
  readonly subject: Subject;
  readonly lossless: LosslessBytes;
  readonly gifsicle: LosslessBytes | null;
  /**
   * Results of `auto` and of the fixed qualities, compared with gifsicle; empty if gifsicle is not installed, or there
   * is nothing to score.
   */
  readonly curve: readonly Compared[];
  /** Scored at the moments of `Subject.compared`; null if refused or not scored. */
  readonly webp: Rated | null;
  readonly gif2webp: Gif2webp | null;
  readonly reached: readonly Reached[];
}

/** Qualities measured in addition to `auto`, so that the results form a curve. */
export const figures = ['60', '85'] as const;

export async function measuredGif(subject: Subject): Promise<MeasuredGif> {
  const { file } = subject;
  const kept = await reachedBy(subject, 'gif');
  const converted = await reachedBy(subject, 'webp');
  const exact = hasGifsicle ? losslessBytes(byGifsicle(file).length, file) : null;
  const webp = await ratedWebp(subject, converted.answer);
  return {
    subject,
    lossless: serviceLosslessBytes(file),
    gifsicle: exact,
    curve: exact && subject.isScored ? await curveOf(subject, kept.answer, exact) : [],
    webp,
    gif2webp: webp && hasGif2webp ? await gif2webpOf(subject, webp) : null,
    reached: [kept, converted],
  };
}

function losslessBytes(produced: number, { bytes }: CorpusFile): LosslessBytes {
  return { produced, kept: Math.min(produced, bytes.length) };
}

function serviceLosslessBytes(file: CorpusFile): LosslessBytes {
  const produced = producedLossless(file).length;
  if (produced < file.bytes.length) return { produced, kept: produced };
  return { produced, kept: bytesOf(answerTo(file, { quality: 'lossless' })) ?? Number.NaN };
}

/** The result of `auto` in one format, scored at all moments. */
export async function reachedBy(subject: Subject, to: AnimationType): Promise<Reached> {
  const { file, type: from, isScored } = subject;
  const answer = answerTo(file, { format: to });
  const isSeen = isScored && !('refused' in answer);
  const scores = isSeen ? await subject.scoresOf(to, answer.bytes) : null;
  return { name: file.name, from, to, answer, scores };
}

async function ratedWebp(subject: Subject, answer: Answer): Promise<Rated | null> {
  if ('refused' in answer || !subject.isScored) return null;
  return rated(subject, 'webp', answer.bytes);
}

/** Bytes and score of a file, at the moments of `Subject.compared`. */
async function rated(subject: Subject, type: AnimationType, file: Uint8Array): Promise<Rated> {
  const { mean } = await subject.scoresOf(type, file, subject.compared);
  return { bytes: file.length, score: mean };
}

async function curveOf(subject: Subject, auto: Answer, exact: LosslessBytes): Promise<Compared[]> {
  const { file } = subject;
  const gifsicleAt = memoized(async (setting: number): Promise<Rated> => {
    const level = lossyLevels[setting] ?? 0;
    // For lossless coding, the original may be kept instead.
    if (level === 0) return { bytes: exact.kept, score: 100 };
    return rated(subject, 'gif', byGifsicle(file, level));
  });
  const compared: Compared[] = [];
  for (const answer of [auto, ...figures.map((quality) => answerTo(file, { quality }))]) {
    if ('refused' in answer) throw new Error(answer.refused);
    const own = await rated(subject, 'gif', answer.bytes);
    const peer = await peerBytesAt(own.score, lossyLevels.length, gifsicleAt);
    compared.push({ ...own, quality: String(answer.quality), peer });
  }
  return compared;
}

async function gif2webpOf(subject: Subject, own: Rated): Promise<Gif2webp> {
  const { file } = subject;
  const at = memoized(async (setting: number): Promise<Rated> => {
    const quality = mixedQualities[setting];
    const made = await byGif2webp(file, quality ?? plainQuality, quality !== undefined);
    return rated(subject, 'webp', made);
  });
  const exact = mixedQualities.length;
  const plain = await at(exact);
  const mixed = await at(mixedQualities.indexOf(plainQuality));
  const curve = await peerBytesAt(own.score, exact + 1, at);
  // Lossless coding often takes fewer bytes than slightly lossy coding.
  const isPlainBest = curve.bytes !== null && plain.bytes < curve.bytes;
  return { plain, mixed, atScore: isPlainBest ? { ...curve, bytes: plain.bytes } : curve };
}
