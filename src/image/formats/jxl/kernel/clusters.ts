/**
 * Clusters contexts that share a distribution. Separate distributions lose the fewest bits, but writing each of them
 * takes bits, so similar contexts share one.
 */
import { allocate } from '../../../wasm/assembly/memory';
import {
  clusterCount,
  contextCount,
  countsOf,
  mapOf,
  maxClusters,
  rowBytes,
  setClusterCount,
  symbolsOf,
  tokenCount,
} from './entropy-code';

/** Minimum loss in bits, with the distributions of existing clusters, for which a context starts a new cluster. */
const minDistance: f64 = 48;
const maxContexts: usize = 16 * (37 + 458);
const mostClusters: usize = 128;
const none: u8 = 255;

/** Per context: minimum bits of its tokens, and the loss in the closest cluster, f64 each. */
let entropies: usize = 0;
let losses: usize = 0;
/** Number of tokens up to the last one that occurs, of each context and of each cluster. */
let lengths: usize = 0;
let clusterLengths: usize = 0;
/** Per cluster: its cost, the best cluster to join, and how much that saves. */
const costs: usize = memory.data(8 * 128);
const partners: usize = memory.data(128);
const savings: usize = memory.data(8 * 128);

/** Allocates the tables for clustering; returns false if there is no memory. */
export function allocateClusters(): bool {
  entropies = allocate(maxContexts << 3);
  losses = allocate(maxContexts << 3);
  lengths = allocate(maxContexts);
  clusterLengths = allocate(mostClusters);
  return entropies !== 0 && losses !== 0 && lengths !== 0 && clusterLengths !== 0;
}

/**
 * Clusters the counted contexts: creates the context map, and stores the counts of each cluster in the place of its
 * symbols.
 */
export function makeClusters(code: i32): void {
  if (!beginClusters(code)) return;
  while (seedCluster(code));
  beginJoining(code);
  while (joinClusters(code));
  orderClusters(code);
}

/** The context that seeds the next cluster. */
let nextSeed: i32 = 0;

/** Begins clustering the counted contexts; returns false if no tokens were counted, which leaves nothing to do. */
export function beginClusters(code: i32): bool {
  const contexts = contextCount(code);
  let largest = -1;
  let most: u32 = 0;
  for (let context = 0; context < contexts; context += 1) {
    const total = measure(code, context);
    if (total > most) {
      most = total;
      largest = context;
    }
  }
  if (largest < 0) {
    memory.fill(mapOf(code), 0, contexts);
    memory.fill(symbolsOf(code, 0), 0, rowBytes);
    setClusterCount(code, 1);
    return false;
  }
  nextSeed = largest;
  setClusterCount(code, 0);
  return true;
}

/** Stores the length and the entropy of a context; returns the number of its tokens. */
function measure(code: i32, context: i32): u32 {
  const counts = countsOf(code, context);
  let total: u32 = 0;
  let length = 0;
  for (let token = 0; token < tokenCount; token += 1) {
    const count = load<u32>(counts + ((<usize>token) << 2));
    total += count;
    if (count > 0) length = token + 1;
  }
  store<u8>(lengths + context, <u8>length);
  if (length > 0) store<f64>(entropies + ((<usize>context) << 3), entropyOf(counts));
  return total;
}

/**
 * Seeds a cluster with a context that differs much from those before, and assigns each context to the nearest one.
 * @returns whether there is another one to seed
 */
export function seedCluster(code: i32): bool {
  const contexts = contextCount(code);
  const map = mapOf(code);
  const clusters = clusterCount(code);
  const next = nextSeed;
  const counts = countsOf(code, next);
  const length = <i32>load<u8>(lengths + next);
  const entropy = load<f64>(entropies + ((<usize>next) << 3));
  let farthest = -1;
  let distance = minDistance;
  for (let context = 0; context < contexts; context += 1) {
    if (load<u8>(lengths + context) === 0) continue;
    const at = (<usize>context) << 3;
    const loss =
      context === next
        ? 0
        : joinedEntropy(countsOf(code, context), load<u8>(lengths + context), counts, length) -
          load<f64>(entropies + at) -
          entropy;
    if (clusters === 0 || loss < load<f64>(losses + at)) {
      store<f64>(losses + at, loss);
      store<u8>(map + context, <u8>clusters);
    }
    if (load<f64>(losses + at) > distance) {
      distance = load<f64>(losses + at);
      farthest = context;
    }
  }
  setClusterCount(code, clusters + 1);
  nextSeed = farthest;
  return farthest >= 0 && clusters + 1 < maxClusters(code);
}

/** Entropy in bits of the tokens of two distributions in a joint one. */
function joinedEntropy(one: usize, oneLength: i32, other: usize, otherLength: i32): f64 {
  const length = max(oneLength, otherLength);
  let total: u32 = 0;
  let sum: f64 = 0;
  for (let token = 0; token < length; token += 1) {
    const at = (<usize>token) << 2;
    const count = load<u32>(one + at) + load<u32>(other + at);
    total += count;
    sum += weighted(count);
  }
  return weighted(total) - sum;
}

/** Sums the counts of each cluster's contexts. */
function gather(code: i32): void {
  const clusters = clusterCount(code);
  const map = mapOf(code);
  memory.fill(symbolsOf(code, 0), 0, rowBytes * clusters);
  memory.fill(clusterLengths, 0, clusters);
  for (let context = 0; context < contextCount(code); context += 1) {
    const length = load<u8>(lengths + context);
    if (length === 0) continue;
    const cluster = load<u8>(map + context);
    addCounts(symbolsOf(code, cluster), countsOf(code, context));
    store<u8>(clusterLengths + cluster, max(length, load<u8>(clusterLengths + cluster)));
  }
}

function addCounts(to: usize, from: usize): void {
  for (let at: usize = 0; at < rowBytes; at += 16) {
    v128.store(to + at, i32x4.add(v128.load(to + at), v128.load(from + at)));
  }
}

/** Number of clusters whose best partner is known. */
let partnered: i32 = 0;

/** Sums the counts of the seeded clusters, to join them. */
export function beginJoining(code: i32): void {
  gather(code);
  const clusters = clusterCount(code);
  for (let one = 0; one < clusters; one += 1) {
    const counts = symbolsOf(code, one);
    const bits = entropyOf(counts) + statementBits(counts, 0, load<u8>(clusterLengths + one));
    store<f64>(costs + ((<usize>one) << 3), bits);
  }
  partnered = 0;
}

/**
 * Joins the two clusters that save most, after finding the best partner of each, one per call.
 * @returns false if no more are worth joining
 */
export function joinClusters(code: i32): bool {
  const clusters = clusterCount(code);
  if (partnered < clusters) {
    findPartner(code, partnered);
    partnered += 1;
    return true;
  }
  let best = -1;
  let most: f64 = 0;
  for (let one = 0; one < clusters; one += 1) {
    if (load<u8>(clusterLengths + one) === 0) continue;
    const saving = load<f64>(savings + ((<usize>one) << 3));
    if (saving > most) {
      most = saving;
      best = one;
    }
  }
  if (best < 0) return false;
  const other = <i32>load<u8>(partners + best);
  const at = (<usize>best) << 3;
  store<f64>(costs + at, load<f64>(costs + at) + load<f64>(costs + ((<usize>other) << 3)) - most);
  addCounts(symbolsOf(code, best), symbolsOf(code, other));
  store<u8>(
    clusterLengths + best,
    max(load<u8>(clusterLengths + best), load<u8>(clusterLengths + other)),
  );
  store<u8>(clusterLengths + other, 0);
  replace(code, <u8>other, <u8>best);
  for (let one = 0; one < clusters; one += 1) {
    const partner = <i32>load<u8>(partners + one);
    const isTouched = one === best || partner === best || partner === other;
    if (isTouched) findPartner(code, one);
    else considerPartner(code, one, best);
  }
  return true;
}

/** Finds the cluster with which joining saves most. */
function findPartner(code: i32, one: i32): void {
  store<u8>(partners + one, none);
  store<f64>(savings + ((<usize>one) << 3), 0);
  for (let other = 0; other < clusterCount(code); other += 1) considerPartner(code, one, other);
}

function considerPartner(code: i32, one: i32, other: i32): void {
  const length = load<u8>(clusterLengths + one);
  const otherLength = load<u8>(clusterLengths + other);
  if (one === other || length === 0 || otherLength === 0) return;
  const counts = symbolsOf(code, one);
  const otherCounts = symbolsOf(code, other);
  const joined =
    joinedEntropy(counts, length, otherCounts, otherLength) +
    statementBits(counts, otherCounts, max(length, otherLength));
  const at = (<usize>one) << 3;
  const saving = load<f64>(costs + at) + load<f64>(costs + ((<usize>other) << 3)) - joined;
  if (saving <= load<f64>(savings + at)) return;
  store<f64>(savings + at, saving);
  store<u8>(partners + one, <u8>other);
}

/** Approximate bits for writing a distribution; `more` points to counts to add, or is 0. */
function statementBits(counts: usize, more: usize, length: i32): f64 {
  let total: u32 = 0;
  let used = 0;
  for (let token = 0; token < length; token += 1) {
    const count = countAt(counts, more, token);
    total += count;
    if (count > 0) used += 1;
  }
  if (used < 3) return used < 2 ? 8 : 28;
  let bits: f64 = 14;
  const whole = log2Of(total);
  for (let token = 0; token < length; token += 1) {
    const count = countAt(counts, more, token);
    if (count === 0) bits += 2.5;
    else bits += 3.3 + 0.45 * Math.max(0, 12 + log2Of(count) - whole);
  }
  return bits;
}

function countAt(counts: usize, more: usize, token: i32): u32 {
  const at = (<usize>token) << 2;
  return load<u32>(counts + at) + (more === 0 ? 0 : load<u32>(more + at));
}

function replace(code: i32, from: u8, to: u8): void {
  const map = mapOf(code);
  for (let context = 0; context < contextCount(code); context += 1) {
    if (load<u8>(map + context) === from) store<u8>(map + context, to);
  }
}

const numbers: usize = memory.data(128);

/** Numbers clusters in the order of their first contexts; an unused context gets the cluster of the previous one. */
export function orderClusters(code: i32): void {
  const map = mapOf(code);
  memory.fill(numbers, none, mostClusters);
  let clusters = 0;
  let before: u8 = 0;
  for (let context = 0; context < contextCount(code); context += 1) {
    if (load<u8>(lengths + context) > 0) {
      const cluster = load<u8>(map + context);
      if (load<u8>(numbers + cluster) === none) {
        store<u8>(numbers + cluster, <u8>clusters);
        clusters += 1;
      }
      before = load<u8>(numbers + cluster);
    }
    store<u8>(map + context, before);
  }
  setClusterCount(code, clusters);
  gather(code);
}

/* Entropy of token counts, from a table of logarithms. */

const tableBits: i32 = 13;
const tableSize: i32 = 1 << tableBits;
/** log2 of 0 to 8192, f64 each. */
let logarithms: usize = 0;

/** Allocates the table; returns false if there is no memory. */
export function allocateEntropy(): bool {
  logarithms = allocate((<usize>(tableSize + 1)) << 3);
  return logarithms !== 0;
}

/** Fills the table. */
export function beginEntropy(): void {
  for (let i = 1; i <= tableSize; i += 1) {
    store<f64>(logarithms + ((<usize>i) << 3), Math.log2(<f64>i));
  }
}

/** log2 of a count above 0, with an error below 1e-8. */
export function log2Of(count: u32): f64 {
  if (count <= <u32>tableSize) return load<f64>(logarithms + ((<usize>count) << 3));
  const shift = 32 - clz(count) - tableBits;
  const high = count >> shift;
  const at = logarithms + ((<usize>high) << 3);
  const below = load<f64>(at);
  const rest = <f64>(count - (high << shift)) / <f64>(1 << shift);
  return <f64>shift + below + rest * (load<f64>(at + 8) - below);
}

/** n · log2 n. */
function weighted(count: u32): f64 {
  return count === 0 ? 0 : <f64>count * log2Of(count);
}

/** Minimum bits of tokens with these counts, u32 each. */
function entropyOf(counts: usize): f64 {
  let total: u32 = 0;
  let sum: f64 = 0;
  for (let token = 0; token < tokenCount; token += 1) {
    const count = load<u32>(counts + ((<usize>token) << 2));
    total += count;
    sum += weighted(count);
  }
  return weighted(total) - sum;
}
