/**
 * What scans are coded into: Huffman symbols, each with the bits that follow it.
 * Counting and writing differ only in what becomes of them, so the scans leave
 * them as records in a small buffer, out of which they are counted or written.
 *
 * A record, u32: bits 0–15 the bits that follow; 16–19 how many, at most 15;
 * 20–27 the symbol; 28–30 the table; bit 31 says that there are only bits.
 */
import { allocate } from '../../../wasm/assembly/memory';
import { bytesOfRecords, writeRecords } from './bit-writer';

export const dcKind: i32 = 0;
export const acKind: i32 = 1;

/** A record without a symbol. */
export const onlyBits: u32 = 0x80000000;
/** The most bits that one record takes along. */
export const maxBits: i32 = 15;

const recordNumber: usize = 2048;
/** What may be added after one look at the room: a block, with a run of blocks that it ends. */
const maxAtOnce: usize = 256;
const tableBytes: usize = 1024;
const tablesBytes: usize = 8 * tableBytes;
/** Behind the tables: an entry that stands for records without a symbol. */
const lastEntryBytes: usize = 16;

let records: usize = 0;
let histograms: usize = 0;
let codeTables: usize = 0;
let countedBits: u64 = 0;
let writing: bool = false;

/** Where the next record goes. */
export let nextRecord: usize = 0;
/** Beyond this the buffer has to be drained. */
export let recordLimit: usize = 0;

/** Allocates the buffer and the tables; false if there is no room. */
export function allocateSymbols(): bool {
  records = allocate(recordNumber << 2);
  histograms = allocate(tablesBytes + lastEntryBytes);
  codeTables = allocate(tablesBytes + lastEntryBytes);
  if (records === 0 || histograms === 0 || codeTables === 0) return false;
  recordLimit = records + ((recordNumber - maxAtOnce) << 2);
  nextRecord = records;
  return true;
}

/** Bytes that have to be free behind a result, as there is one look at the room for a whole buffer. */
export function outputMargin(): usize {
  return bytesOfRecords(recordNumber);
}

/** Begins a scan: what follows is written, or counted from nothing. */
export function beginSymbols(writes: bool): void {
  writing = writes;
  nextRecord = records;
  if (writes) {
    // a code of no bits that, unlike a missing one, is not all zeros
    store<u32>(codeTables + tablesBytes, 1 << 24);
  } else {
    countedBits = 0;
    memory.fill(histograms, 0, tablesBytes + 4);
  }
}

/** Whether the scan is written, and not counted. */
export function isWriting(): bool {
  return writing;
}

/** How often each symbol has been counted, 256 × u32. */
export function histogram(kind: i32, slot: i32): usize {
  return histograms + tableBytes * (kind * 4 + slot);
}

/** The codes to write with: 256 × u32 of code | length << 16, 0 where a symbol has none; the host fills them. */
export function codes(kind: i32, slot: i32): usize {
  return codeTables + tableBytes * (kind * 4 + slot);
}

/** How many bits that are not Huffman codes have been counted; a whole number. */
export function rawBits(): f64 {
  return <f64>countedBits;
}

/** The part of a record that says which table its symbol is of. */
export function tableOf(kind: i32, slot: i32): u32 {
  return (<u32>(kind * 4 + slot)) << 28;
}

/** Tells the buffer up to where records have been put. */
export function setNextRecord(to: usize): void {
  nextRecord = to;
}

/**
 * Counts or writes the records up to `to`.
 * @returns where the next one goes
 */
export function drain(to: usize): usize {
  if (writing) {
    writeRecords(records, to, codeTables);
  } else {
    count(to);
  }
  nextRecord = records;
  return records;
}

function count(end: usize): void {
  const tables = histograms;
  let bits: u64 = 0;
  for (let at = records; at < end; at += 4) {
    const record = load<u32>(at);
    const entry = tables + ((record >> 18) & 0x3ffc);
    store<u32>(entry, load<u32>(entry) + 1);
    bits += (record >> 16) & 15;
  }
  countedBits += bits;
}
