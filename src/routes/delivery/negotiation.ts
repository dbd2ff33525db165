import { parseAccept } from 'hono/utils/accept';
import { type Description, inspect, type OptimizeOptions } from '../../image/engine.ts';
import {
  factsOf,
  type ImageType,
  type OutputType,
  outputFacts,
} from '../../image/formats/facts.ts';
import type { UrlOptions } from './url-options.ts';

// Which formats a client gets. Browsers write `Accept` in many ways, and each would be kept as a result of its own; what
// matters of it are the few formats that not every browser shows.

/** Formats that are shown everywhere. */
const everywhere: readonly OutputType[] = ['jpeg', 'png', 'gif'];

/** Formats that have to be named, in the order of the list of formats. */
const namedFacts = outputFacts.filter(({ type }) => !everywhere.includes(type));

/**
 * The formats besides those shown everywhere that an `Accept` header names with a weight above 0. Wildcards name none:
 * every browser sends them, whatever it shows.
 */
export function reducedAccept(header: string | undefined): readonly OutputType[] {
  if (header === undefined) return [];
  const weights = new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]));
  return namedFacts
    .filter(({ mediaType }) => (weights.get(mediaType) ?? 0) > 0)
    .map(({ type }) => type);
}

/** Whether a result depends on what the client accepts. */
export function isNegotiated({ format }: Pick<OptimizeOptions, 'format'>): boolean {
  return format === 'auto' || format === 'keep';
}

/**
 * The options for an image and a client.
 * @param accept as `reducedAccept` returns it
 */
export function optionsFor(
  options: UrlOptions['options'],
  accept: readonly OutputType[],
  file: Uint8Array<ArrayBuffer>,
): OptimizeOptions {
  const accepted: ReadonlySet<ImageType> = new Set([...everywhere, ...accept]);
  const all = { ...options, accept: accepted };
  if (!isNegotiated(options)) return all;
  const source = described(file);
  if (source === null || accepted.has(source.type)) return all;
  // It becomes what shows it everywhere or, where there is a choice, what the client names if that is smaller.
  const isAnimated = source.frames > 1 && options.animation === 'keep';
  const shown = isAnimated ? 'gif' : source.hasAlpha && !options.background ? 'png' : 'jpeg';
  const others = options.format === 'auto' ? accept.filter((type) => holds(type, isAnimated)) : [];
  return { ...all, format: 'auto', among: new Set([shown, ...others]) };
}

/** Null for what is no image: the plan tells why. */
function described(file: Uint8Array): Description | null {
  try {
    return inspect(file);
  } catch {
    return null;
  }
}

/** Whether any picture, or any animation, can become a file of this type. */
function holds(type: OutputType, isAnimated: boolean): boolean {
  const { output } = factsOf(type);
  return output?.chosen === 'if-accepted' && (!isAnimated || output.holdsAnimations);
}
