/** How much is spent on a stream: 0 for large pictures, 1, or 2 for small ones. Measured on graphics and photos. */

import { mostLength } from './symbols';

/** How many positions are looked at for a match. */
export function searchDepth(effort: i32): i32 {
  return effort <= 0 ? 100 : effort === 1 ? 300 : 1000;
}

/** How many positions at either end of a match that is taken can be matched later. */
export function searchedEdge(effort: i32): i32 {
  return effort <= 0 ? 32 : effort === 1 ? 64 : mostLength;
}

/** How often the costs of a block are learnt anew. */
export function learningRounds(effort: i32): i32 {
  return effort <= 0 ? 1 : effort === 1 ? 2 : 3;
}
