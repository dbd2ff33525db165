import type { AnimationType } from '../../test/support/animations/timeline.ts';
import type { CorpusFile } from '../harness/section.ts';
import { type PeerBytes, peerBytesAt, type Rated, remembered } from './curve.ts';
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
import type { Look, Subject } from './subject.ts';

/** Bytes of one way to code without loss. */
export interface Weighed {
  readonly produced: number;
  /** Of the original, where that is shorter. */
  readonly kept: number;
}

/** A result, how it looks, and what a peer takes for that. */
export interface Compared extends Rated {
  readonly quality: string;
  readonly peer: PeerBytes;
}

/** `quality=auto` in one format. */
export interface Reached {
  readonly name: string;
  readonly from: AnimationType;
  readonly to: AnimationType;
  readonly answer: Answer;
  /** Null: refused, or too small to be scored. */
  readonly look: Look | null;
}

/** What others make WebPs of a GIF into, and look like. */
export interface Gif2webp {
  readonly plain: Rated;
  readonly mixed: Rated;
  /** At the score of the result, or better. */
  readonly atScore: PeerBytes;
}

/** What became of one GIF. */
export interface MeasuredGif {
  readonly subject: Subject;
  readonly lossless: Weighed;
  readonly gifsicle: Weighed | null;
  /** By auto, and by figures, beside gifsicle; empty where it is not there, or there is nothing to score. */
  readonly curve: readonly Compared[];
  /** At the moments that are compared; null: refused or not scored. */
  readonly webp: Rated | null;
  readonly gif2webp: Gif2webp | null;
  readonly reached: readonly Reached[];
}

/** Qualities that are asked for beside auto, so that results make a curve. */
export const figures = ['60', '85'] as const;

export async function measuredGif(subject: Subject): Promise<MeasuredGif> {
  const { file } = subject;
  const kept = await reachedBy(subject, 'gif');
  const converted = await reachedBy(subject, 'webp');
  const exact = hasGifsicle ? weighed(byGifsicle(file).length, file) : null;
  const webp = await ratedWebp(subject, converted.answer);
  return {
    subject,
    lossless: weighedResult(file),
    gifsicle: exact,
    curve: exact && subject.isScored ? await curveOf(subject, kept.answer, exact) : [],
    webp,
    gif2webp: webp && hasGif2webp ? await gif2webpOf(subject, webp) : null,
    reached: [kept, converted],
  };
}

function weighed(produced: number, { bytes }: CorpusFile): Weighed {
  return { produced, kept: Math.min(produced, bytes.length) };
}

function weighedResult(file: CorpusFile): Weighed {
  const produced = producedLossless(file).length;
  if (produced < file.bytes.length) return { produced, kept: produced };
  return { produced, kept: bytesOf(answerTo(file, { quality: 'lossless' })) ?? Number.NaN };
}

/** Auto in one format, at all moments. */
export async function reachedBy(subject: Subject, to: AnimationType): Promise<Reached> {
  const { file, type: from, isScored } = subject;
  const answer = answerTo(file, { format: to });
  const isSeen = isScored && !('refused' in answer);
  const look = isSeen ? await subject.lookOf(to, answer.bytes) : null;
  return { name: file.name, from, to, answer, look };
}

async function ratedWebp(subject: Subject, answer: Answer): Promise<Rated | null> {
  if ('refused' in answer || !subject.isScored) return null;
  return rated(subject, 'webp', answer.bytes);
}

/** At the moments that are compared. */
async function rated(subject: Subject, type: AnimationType, file: Uint8Array): Promise<Rated> {
  const { mean } = await subject.lookOf(type, file, subject.compared);
  return { bytes: file.length, score: mean };
}

async function curveOf(subject: Subject, auto: Answer, exact: Weighed): Promise<Compared[]> {
  const { file } = subject;
  const gifsicleAt = remembered(async (setting: number): Promise<Rated> => {
    const level = lossyLevels[setting] ?? 0;
    // without loss the original may be had as well
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
  const at = remembered(async (setting: number): Promise<Rated> => {
    const quality = mixedQualities[setting];
    const made = await byGif2webp(file, quality ?? plainQuality, quality !== undefined);
    return rated(subject, 'webp', made);
  });
  const exact = mixedQualities.length;
  const plain = await at(exact);
  const mixed = await at(mixedQualities.indexOf(plainQuality));
  const curve = await peerBytesAt(own.score, exact + 1, at);
  // without loss it often takes less than with some
  const isPlainBest = curve.bytes !== null && plain.bytes < curve.bytes;
  return { plain, mixed, atScore: isPlainBest ? { ...curve, bytes: plain.bytes } : curve };
}
