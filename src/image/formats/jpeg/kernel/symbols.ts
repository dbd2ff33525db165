/**
 * Huffman symbols and the bits that follow them: the output of coding a scan. Counting and writing differ only in how
 * these are processed, so scans are coded to records in a small buffer, from which they are counted or written.
 *
 * Layout of a record, u32: bits 0–15 the bits that follow the symbol; 16–19 their number, at most 15; 20–27 the symbol;
 * 28–30 the table; bit 31 is set if there are only bits and no symbol.
 */
import { allocate } from '../../../wasm/assembly/memory';
import { bytesOfRecords, writeRecords } from './bit-writer';

export const dcKind: i32 = 0;
export const acKind: i32 = 1;

/** Marks a record without a symbol. */
export const onlyBits: u32 = 0x80000000;
/** Maximum number of bits besides the symbol in a record. */
export const maxBits: i32 = 15;

const maxRecords: usize = 2048;
/** Maximum number of records between two checks of the limit: those of a block and of the end-of-band run before it. */
const maxRecordsBetweenChecks: usize = 256;
const tableBytes: usize = 1024;
const tablesBytes: usize = 8 * tableBytes;
/** Bytes after the tables: an entry for records without a symbol. */
const onlyBitsEntryBytes: usize = 16;

let records: usize = 0;
let histograms: usize = 0;
let codeTables: usize = 0;
let rawBitCount: u64 = 0;
let isWritingScan: bool = false;

/** Address of the next record. */
export let nextRecord: usize = 0;
/** Address beyond which the buffer has to be drained. */
export let recordLimit: usize = 0;

/** Allocates the buffer and the tables; false if memory runs out. */
export function allocateSymbols(): bool {
  records = allocate(maxRecords << 2);
  histograms = allocate(tablesBytes + onlyBitsEntryBytes);
  codeTables = allocate(tablesBytes + onlyBitsEntryBytes);
  if (records === 0 || histograms === 0 || codeTables === 0) return false;
  recordLimit = records + ((maxRecords - maxRecordsBetweenChecks) << 2);
  nextRecord = records;
  return true;
}

/** Bytes that have to be free after a result, since free memory is checked once for a whole buffer of records. */
export function outputMargin(): usize {
  return bytesOfRecords(maxRecords);
}

/** Begins a scan whose symbols are written if `writes` is true, otherwise counted in cleared histograms. */
export function beginSymbols(writes: bool): void {
  isWritingScan = writes;
  nextRecord = records;
  if (writes) {
    // a code of 0 bits, which, unlike the entry of a missing code, is not 0
    store<u32>(codeTables + tablesBytes, 1 << 24);
  } else {
    rawBitCount = 0;
    memory.fill(histograms, 0, tablesBytes + 4);
  }
}

/** Whether the scan is written, not counted. */
export function isWriting(): bool {
  return isWritingScan;
}

/** Counts of the symbols of a table, 256 × u32. */
export function histogram(kind: i32, slot: i32): usize {
  return histograms + tableBytes * (kind * 4 + slot);
}

/** Codes for writing, filled by the host: 256 × u32 of code | length << 16, 0 for symbols without a code. */
export function codes(kind: i32, slot: i32): usize {
  return codeTables + tableBytes * (kind * 4 + slot);
}

/** Number of counted bits other than Huffman codes, an integer. */
export function rawBits(): f64 {
  return <f64>rawBitCount;
}

/** The table of a symbol as encoded in a record. */
export function tableOf(kind: i32, slot: i32): u32 {
  return (<u32>(kind * 4 + slot)) << 28;
}

/** Sets the end of the records in the buffer. */
export function setNextRecord(to: usize): void {
  nextRecord = to;
}

/**
 * Counts or writes the records before `to` and empties the buffer.
 * @returns the address of the next record
 */
export function drain(to: usize): usize {
  if (isWritingScan) {
    writeRecords(records, to, codeTables);
  } else {
    countRecords(to);
  }
  nextRecord = records;
  return records;
}

function countRecords(end: usize): void {
  const tables = histograms;
  let bits: u64 = 0;
  for (let at = records; at < end; at += 4) {
    const record = load<u32>(at);
    const entry = tables + ((record >> 18) & 0x3ffc);
    store<u32>(entry, load<u32>(entry) + 1);
    bits += (record >> 16) & 15;
  }
  rawBitCount += bits;
}
