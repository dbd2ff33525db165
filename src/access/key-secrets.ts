import { decodeBase64 } from 'hono/utils/encode';

/** Version → 32 bytes of AES key. The first entry is the newest: it seals, all of them open. */
export type KeySecrets = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

const pair = /^([0-9A-Za-z]{1,16}):([0-9A-Za-z+/]{43}=)$/;

/** Reads `version:base64` pairs separated by commas, newest first; null when that is not what it is. */
export function parseKeySecrets(text: string): KeySecrets | null {
  const secrets = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const part of text.split(',')) {
    const [, version, encoded] = pair.exec(part.trim()) ?? [];
    if (version === undefined || encoded === undefined || secrets.has(version)) return null;
    secrets.set(version, decodeBase64(encoded));
  }
  return secrets;
}
