/**
 * Lengths of Huffman codes, limited (RFC 1951 §3.2.2, §3.2.7): Huffman's algorithm
 * in place over sorted counts (Moffat and Katajainen 1995), then lengths above
 * the limit are shortened at the least cost to the others.
 */

/** Symbols that have a code: count << 9 | symbol, sorted; 288 × u32. */
const sorted: usize = memory.data(1152, 16);
/** Counts, then parents, then depths of the same: 288 × u32. */
const tree: usize = memory.data(1152, 16);
/** How many codes there are of each length: 32 × u32. */
const ofLength: usize = memory.data(128, 16);

/**
 * Sets the length of each symbol's code.
 * @param counts `symbols` × u32, below 2 ** 23 each
 * @param lengths `symbols` × u8, 0 for a symbol without a code; a single code has one bit
 * @param limit the most bits of a code
 */
export function codeLengths(counts: usize, symbols: i32, limit: i32, lengths: usize): void {
  memory.fill(lengths, 0, symbols);
  let used = 0;
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    const count = load<u32>(counts + ((<usize>symbol) << 2));
    if (count === 0) continue;
    store<u32>(sorted + ((<usize>used) << 2), (count << 9) | symbol);
    used += 1;
  }
  if (used === 0) return;
  if (used === 1) {
    store<u8>(lengths + (load<u32>(sorted) & 511), 1);
    return;
  }
  sort(used);
  for (let i = 0; i < used; i += 1) {
    store<u32>(tree + ((<usize>i) << 2), load<u32>(sorted + ((<usize>i) << 2)) >> 9);
  }
  joinLeast(used);
  countDepths(used, limit);
  // the rarest symbols have the longest codes
  for (let length = limit, i = 0; length > 0; length -= 1) {
    for (let left = load<u32>(ofLength + ((<usize>length) << 2)); left > 0; left -= 1, i += 1) {
      store<u8>(lengths + (load<u32>(sorted + ((<usize>i) << 2)) & 511), <u8>length);
    }
  }
}

/** Shell's sort, since the symbols are few. */
function sort(used: i32): void {
  for (
    let gap = used > 40 ? 40 : 1;
    gap > 0;
    gap = gap === 1 ? 0 : gap === 40 ? 13 : gap === 13 ? 4 : 1
  ) {
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
  memory.fill(ofLength, 0, 128);
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
  /** How much of the space of codes of `limit` bits is taken. */
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
  const longest = ofLength + ((<usize>limit) << 2);
  for (let excess = taken - (1 << limit); excess > 0; excess -= 1) {
    let length = limit - 1;
    while (load<u32>(ofLength + ((<usize>length) << 2)) === 0) length -= 1;
    const at = ofLength + ((<usize>length) << 2);
    store<u32>(at, load<u32>(at) - 1);
    store<u32>(at, load<u32>(at, 4) + 2, 4);
    store<u32>(longest, load<u32>(longest) - 1);
  }
}
