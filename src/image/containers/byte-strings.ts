import { assemble } from './assemble.ts';

/** The bytes of a tag or signature. */
export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export function joinBytes(...pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return assemble((sink) => {
    for (const piece of pieces) sink.write(piece);
  });
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Allocates nothing: a file may have a signature to be looked at every few bytes. */
export function startsWith(bytes: Uint8Array, text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (bytes[i] !== text.charCodeAt(i)) return false;
  }
  return true;
}
