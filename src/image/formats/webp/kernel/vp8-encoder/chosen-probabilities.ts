/**
 * The token probabilities of the frame: a default is replaced by the probability from the counts if that saves more
 * than it costs in the header (RFC 6386 §13.4).
 */
import { allocate } from '../../../../wasm/assembly/memory';
import {
  bandCount,
  bands,
  contextCount,
  defaultProbabilities,
  nodeCount,
  typeCount,
  updateProbabilities,
} from '../vp8/token-probabilities';
import { bitCost, branchCost, probabilityOf } from './bit-costs';
import { putBit, putNumber } from './bool-encoder';
import { countBranches, onesAt, zerosAt } from './token-probabilities';

/** Chosen probabilities, by type, band, context and node. */
const chosenBytes: usize = 4 * 8 * 3 * 11;
let chosen: usize = 0;

/** Probabilities by type and position: three contexts of 16 bytes each. */
const contextBytes: usize = 16;
const positionBytes: usize = 48;
const typeBytes: usize = 16 * positionBytes;
let spreadOut: usize = 0;

/** Cost of a new probability in 256ths of a bit. */
const newCost: u32 = 8 << 8;

/** Allocates the tables; returns false if there is no memory. */
export function allocateProbabilities(): bool {
  chosen = allocate(chosenBytes);
  spreadOut = allocate(4 * typeBytes);
  return chosen !== 0 && spreadOut !== 0;
}

/** Pointer to the probabilities of all nodes at a position and with a context, one byte each; none for position 16. */
export function probabilitiesAt(type: i32, position: i32, context: i32): usize {
  return spreadOut + typeBytes * type + positionBytes * position + contextBytes * context;
}

/** Chooses all probabilities by the counts. */
export function chooseProbabilities(): void {
  let i: usize = 0;
  for (let type = 0; type < typeCount; type += 1) {
    for (let band = 0; band < bandCount; band += 1) {
      for (let context = 0; context < contextCount; context += 1) {
        countBranches(type, band, context);
        for (let node = 0; node < nodeCount; node += 1, i += 1) {
          store<u8>(chosen + i, <u8>choice(node, i));
        }
        spread(type, band, context, chosen + i - nodeCount);
      }
    }
  }
}

/** Chooses the probability of a node; `i` is the index of its default. */
function choice(node: i32, i: usize): u32 {
  const zeros = zerosAt(node);
  const ones = onesAt(node);
  const old: u32 = load<u8>(defaultProbabilities + i);
  const update: u32 = load<u8>(updateProbabilities + i);
  const best = probabilityOf(zeros, ones);
  const kept = branchCost(zeros, ones, old) + bitCost(0, update);
  const replaced = branchCost(zeros, ones, best) + bitCost(1, update) + newCost;
  return replaced < kept ? best : old;
}

/** Stores the probabilities of a context for all positions of their band. */
function spread(type: i32, band: i32, context: i32, nodes: usize): void {
  for (let position = 0; position < 16; position += 1) {
    if (load<u8>(bands + position) !== <u8>band) continue;
    memory.copy(probabilitiesAt(type, position, context), nodes, nodeCount);
  }
}

/** Lists the bits of the frame header for the probabilities. */
export function putProbabilities(): void {
  for (let i: usize = 0; i < chosenBytes; i += 1) {
    const probability: u32 = load<u8>(chosen + i);
    const isNew = probability !== <u32>load<u8>(defaultProbabilities + i);
    putBit(isNew ? 1 : 0, load<u8>(updateProbabilities + i));
    if (isNew) putNumber(probability, 8);
  }
}
