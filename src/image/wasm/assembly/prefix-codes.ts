/**
 * Prefix codes as DEFLATE and lossless WebP have them (RFC 1951 §3.2.2, RFC 9649 §6.2.1): their lengths out of counts,
 * and their bits. Lengths come from Huffman's algorithm in place over sorted counts (Moffat and Katajainen 1995); those
 * above the limit are shortened at the least cost to the others.
 */

/** Symbols that have a code, u32: count << `symbolBits` | symbol, sorted. */
let sorted: usize = 0;
let symbolBits: u32 = 0;
/** Counts of the sorted symbols, u32; then parents, then depths. */
let tree: usize = 0;
/** How many codes there are of each length. */
const ofLength: usize = memory.data(32 * 4, 16);

/** Bytes that `setCodeSpace` takes for codes of at most so many symbols. */
export function codeSpaceBytes(symbols: i32): usize {
  return (<usize>symbols) << 3;
}

/**
 * Sets where codes are worked out, once in a run.
 *
 * @param at `codeSpaceBytes` of memory
 * @param symbols of a code, at most
 * @param bits that the highest symbol takes; a count has what is left of 32
 */
export function setCodeSpace(at: usize, symbols: i32, bits: u32): void {
  sorted = at;
  tree = at + ((<usize>symbols) << 2);
  symbolBits = bits;
}

/**
 * Sets the length of each symbol's code.
 *
 * @param counts `symbols` × u32, below 2^(32 − bits of a symbol) each
 * @param lengths `symbols` × u8, 0 for a symbol without a code; a single code has one bit
 * @param limit the most bits of a code
 * @returns how many symbols have a code
 */
export function codeLengths(counts: usize, symbols: i32, limit: i32, lengths: usize): i32 {
  memory.fill(lengths, 0, symbols);
  let used = 0;
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    const count = load<u32>(counts + ((<usize>symbol) << 2));
    if (count === 0) continue;
    store<u32>(sorted + ((<usize>used) << 2), (count << symbolBits) | symbol);
    used += 1;
  }
  if (used === 0) return 0;
  if (used === 1) {
    store<u8>(lengths + symbolAt(0), 1);
    return 1;
  }
  sort(used);
  for (let i = 0; i < used; i += 1) {
    const at = (<usize>i) << 2;
    store<u32>(tree + at, load<u32>(sorted + at) >> symbolBits);
  }
  joinLeast(used);
  countDepths(used, limit);
  // the rarest symbols have the longest codes
  for (let length = limit, i = 0; length > 0; length -= 1) {
    for (let left = codesOf(length); left > 0; left -= 1, i += 1) {
      store<u8>(lengths + symbolAt(i), <u8>length);
    }
  }
  return used;
}

function symbolAt(i: i32): usize {
  return load<u32>(sorted + ((<usize>i) << 2)) & ((1 << symbolBits) - 1);
}

function codesOf(length: i32): i32 {
  return load<i32>(ofLength + ((<usize>length) << 2));
}

/** Shell's sort, since the symbols are few. */
function sort(used: i32): void {
  let gap = 1;
  while (gap < used / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3) {
    for (let i = gap; i < used; i += 1) {
      const value = load<u32>(sorted + ((<usize>i) << 2));
      let j = i;
      for (; j >= gap; j -= gap) {
        const other = load<u32>(sorted + ((<usize>(j - gap)) << 2));
        if (other <= value) break;
        store<u32>(sorted + ((<usize>j) << 2), other);
      }
      store<u32>(sorted + ((<usize>j) << 2), value);
    }
  }
}

/** Joins the two least weights until one is left; `tree` then has each inner node's parent. */
function joinLeast(used: i32): void {
  let leaf = 0;
  let inner = 0;
  for (let made = 0; made < used - 1; made += 1) {
    let weight: u32 = 0;
    for (let side = 0; side < 2; side += 1) {
      const innerAt = tree + ((<usize>inner) << 2);
      const leafAt = tree + ((<usize>leaf) << 2);
      if (leaf >= used || (inner < made && load<u32>(innerAt) < load<u32>(leafAt))) {
        weight += load<u32>(innerAt);
        store<u32>(innerAt, made);
        inner += 1;
      } else {
        weight += load<u32>(leafAt);
        leaf += 1;
      }
    }
    store<u32>(tree + ((<usize>made) << 2), weight);
  }
}

/** Counts the leaves of each depth, none deeper than `limit`. */
function countDepths(used: i32, limit: i32): void {
  memory.fill(ofLength, 0, 32 * 4);
  const root = used - 2;
  store<u32>(tree + ((<usize>root) << 2), 0);
  // inner nodes of one depth after the other, from the root on
  for (let node = root - 1; node >= 0; node -= 1) {
    const at = tree + ((<usize>node) << 2);
    store<u32>(at, load<u32>(tree + ((<usize>load<u32>(at)) << 2)) + 1);
  }
  let places = 1;
  let depth = 0;
  let node = root;
  // how much of the space of codes of `limit` bits is taken
  let taken = 0;
  while (places > 0) {
    let inner = 0;
    for (; node >= 0 && load<u32>(tree + ((<usize>node) << 2)) === depth; node -= 1) inner += 1;
    const leaves = places - inner;
    const length = min(depth, limit);
    const at = ofLength + ((<usize>length) << 2);
    store<u32>(at, load<u32>(at) + leaves);
    taken += leaves << (limit - length);
    places = inner << 1;
    depth += 1;
  }
  shorten(taken, limit);
}

/** Makes room for codes that were cut off: a shorter one becomes two, one of them for a cut one. */
function shorten(taken: i32, limit: i32): void {
  const longestAt = ofLength + ((<usize>limit) << 2);
  for (let excess = taken - (1 << limit); excess > 0; excess -= 1) {
    let length = limit - 1;
    while (codesOf(length) === 0) length -= 1;
    const at = ofLength + ((<usize>length) << 2);
    store<u32>(at, load<u32>(at) - 1);
    store<u32>(at, load<u32>(at, 4) + 2, 4);
    store<u32>(longestAt, load<u32>(longestAt) - 1);
  }
}

/** Where the codes of each length begin. */
const firstCodes: usize = memory.data(16 * 4, 16);

/**
 * Assigns codes in their order, their bits turned around as they are written.
 * @param codes `symbols` × u32 of code | length << 16
 */
export function assignCodes(lengths: usize, symbols: i32, codes: usize): void {
  memory.fill(ofLength, 0, 32 * 4);
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    const at = ofLength + ((<usize>load<u8>(lengths + symbol)) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  let code: u32 = 0;
  for (let length = 1; length < 16; length += 1) {
    store<u32>(firstCodes + ((<usize>length) << 2), code);
    code = (code + codesOf(length)) << 1;
  }
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    const length: i32 = load<u8>(lengths + symbol);
    if (length === 0) {
      store<u32>(codes + ((<usize>symbol) << 2), 0);
      continue;
    }
    const next = firstCodes + ((<usize>length) << 2);
    const value = load<u32>(next);
    store<u32>(next, value + 1);
    store<u32>(codes + ((<usize>symbol) << 2), turned(value, length) | (length << 16));
  }
}

function turned(code: u32, length: i32): u32 {
  let bits = ((code & 0x5555) << 1) | ((code >> 1) & 0x5555);
  bits = ((bits & 0x3333) << 2) | ((bits >> 2) & 0x3333);
  bits = ((bits & 0x0f0f) << 4) | ((bits >> 4) & 0x0f0f);
  return (((bits & 0x00ff) << 8) | (bits >> 8)) >> (16 - length);
}
