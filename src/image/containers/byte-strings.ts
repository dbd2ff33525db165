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

export function startsWith(bytes: Uint8Array, text: string): boolean {
  return ascii(text).every((byte, i) => bytes[i] === byte);
}
