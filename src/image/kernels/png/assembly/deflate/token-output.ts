/** Tokens as they are written: symbols with the bits behind them (RFC 1951 §3.2.5). */

import { putBits } from './bit-output';
import { assignCodes } from './code-tables';
import { nodeAt } from './nodes';
import { choiceAt, nodesOf } from './parser';
import {
  distanceBase,
  distanceExtra,
  distanceSymbols,
  endOfBlock,
  lengthBase,
  lengthExtra,
  lengthSlot,
} from './symbols';

const literalCodes: usize = memory.data(1152, 16);
const distanceCodes: usize = memory.data(128, 16);

/**
 * Writes what was chosen from `first` to `end`, and the end of the block.
 * @param literalNumber how many literals and lengths have a code: 286, or 288 for the fixed ones
 */
export function writeTokens(
  first: i32,
  end: i32,
  literalLengths: usize,
  literalNumber: i32,
  distanceLengths: usize,
): void {
  assignCodes(literalLengths, literalNumber, literalCodes);
  assignCodes(distanceLengths, distanceSymbols, distanceCodes);
  for (let node = first; node < end; ) {
    const choice = choiceAt(node);
    if (choice === 0) {
      putCode(literalCodes, load<u32>(nodeAt(node)) & 255);
      node += 1;
      continue;
    }
    const length = <i32>((choice >> 16) & 511);
    const slot = lengthSlot(length);
    putCode(literalCodes, 257 + slot);
    putBits(length - lengthBase(slot), lengthExtra(slot));
    const distance = (choice >> 25) & 31;
    putCode(distanceCodes, distance);
    putBits((choice & 0xffff) - distanceBase(distance), distanceExtra(distance));
    node += nodesOf(choice);
  }
  putCode(literalCodes, endOfBlock);
}

function putCode(codes: usize, symbol: u32): void {
  const code = load<u32>(codes + ((<usize>symbol) << 2));
  putBits(code & 0xffff, code >> 16);
}
