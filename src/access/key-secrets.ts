import { decodeBase64 } from 'hono/utils/encode';

/** Version → 32 bytes of AES key. The first entry is the newest: it seals, all of them open. */
export type KeySecrets = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

const pair = /^([0-9A-Za-z]{1,16}):(.*)$/;

/** Reads `version:base64` pairs separated by commas, newest first; null when that is not what it is. */
export function parseKeySecrets(text: string): KeySecrets | null {
  const secrets = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const part of text.split(',')) {
    const [, version, encoded = ''] = pair.exec(part.trim()) ?? [];
    const secret = parseSecret(encoded);
    if (version === undefined || secret === null || secrets.has(version)) return null;
    secrets.set(version, secret);
  }
  return secrets;
}

/** Reads 32 bytes of base64; null when that is not what it is. */
export function parseSecret(text: string): Uint8Array<ArrayBuffer> | null {
  return /^[0-9A-Za-z+/]{43}=$/.test(text) ? decodeBase64(text) : null;
}
