/**
 * Prefix codes of DEFLATE and lossless WebP (RFC 1951 §3.2.2, RFC 9649 §6.2.1): lengths from counts, and codes. Lengths
 * are computed by the in-place Huffman algorithm on sorted counts (Moffat and Katajainen 1995); those above the limit
 * are shortened at the lowest cost to others.
 */

/** Symbols that have a code, u32: count << `symbolBits` | symbol, sorted. */
let sorted: usize = 0;
let symbolBits: u32 = 0;
/** Counts of the sorted symbols, u32; then parents, then depths. */
let tree: usize = 0;
/** Number of codes of each length. */
const ofLength: usize = memory.data(32 * 4, 16);

/** Bytes that `setCodeSpace` needs for codes with at most this number of symbols. */
export function codeSpaceBytes(symbols: i32): usize {
  return (<usize>symbols) << 3;
}

/**
 * Sets the buffers for computing codes; call it once in a run.
 *
 * @param at memory of `codeSpaceBytes`
 * @param symbols maximum number of symbols in a code
 * @param bits bits of the highest symbol; counts have the remaining ones of 32
 */
export function setCodeSpace(at: usize, symbols: i32, bits: u32): void {
  sorted = at;
  tree = at + ((<usize>symbols) << 2);
  symbolBits = bits;
}

/**
 * Computes the code length of each symbol.
 *
 * @param counts `symbols` × u32, below 2^(32 − bits of a symbol) each
 * @param lengths `symbols` × u8, 0 for a symbol without a code; a single code has one bit
 * @param limit maximum code length in bits
 * @returns the number of symbols with a code
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
  // The least frequent symbols have the longest codes.
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

/** Shellsort, because the number of symbols is small. */
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

/** Joins the two smallest weights until one is left; `tree` then contains the parent of each inner node. */
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

/** Counts the leaves of each depth, limited to `limit`. */
function countDepths(used: i32, limit: i32): void {
  memory.fill(ofLength, 0, 32 * 4);
  const root = used - 2;
  store<u32>(tree + ((<usize>root) << 2), 0);
  // Inner nodes by depth, starting from the root.
  for (let node = root - 1; node >= 0; node -= 1) {
    const at = tree + ((<usize>node) << 2);
    store<u32>(at, load<u32>(tree + ((<usize>load<u32>(at)) << 2)) + 1);
  }
  let places = 1;
  let depth = 0;
  let node = root;
  // Part of the code space of `limit` bits that is in use.
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

/** Makes room for truncated codes by splitting shorter ones. */
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

/** First code of each length. */
const firstCodes: usize = memory.data(16 * 4, 16);

/**
 * Assigns codes in order, with reversed bits, as they are written.
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
