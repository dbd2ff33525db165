import { crc32 } from 'node:zlib';
import { decodeBase64, encodeBase64 } from 'hono/utils/encode';
import { sha256 } from './hashing.ts';

/**
 * API keys: `imgo_`, 32 random characters, 6 of checksum.
 *
 * The fixed prefix lets secret scanners find leaked keys, the checksum lets
 * them (and us) tell a key from a look-alike without asking the database, and
 * the alphabet makes a double click select the whole. After the format of
 * GitHub's tokens (https://github.blog/engineering/behind-githubs-new-authentication-token-formats).
 */
const keyPrefix = 'imgo_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 32;
const checksumLength = 6;
const shape = new RegExp(`^${keyPrefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** Matches any text that contains the beginning of a key, complete or truncated. */
export const keyLookalike = new RegExp(`${keyPrefix}[0-9A-Za-z]`);

/** A fresh key with 190 random bits. */
export function makeApiKey(): string {
  let key = keyPrefix;
  while (key.length < keyPrefix.length + randomLength) {
    for (const byte of crypto.getRandomValues(new Uint8Array(randomLength))) {
      // 248 = 4 × 62: the values above would favour the first characters
      if (byte < 248 && key.length < keyPrefix.length + randomLength) {
        key += alphabet.charAt(byte % 62);
      }
    }
  }
  return key + checksum(key);
}

/** Whether `text` has the form of a key and its checksum fits. */
export function isWellFormedApiKey(text: string): boolean {
  const body = text.slice(0, -checksumLength);
  return shape.test(text) && text.slice(-checksumLength) === checksum(body);
}

/** The part of a key that may be shown and logged. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, 11);
}

/** SHA-256 in hexadecimal, for look-up. Enough without salt or stretching: a key is random. */
export function hashApiKey(key: string): Promise<string> {
  return sha256(key);
}

/**
 * Encrypts a key for keeping: AES-256-GCM under the newest secret, with the
 * key's id as additional data so that a sealed key fits no other row.
 * @returns `version.iv.ciphertext`, the last two in base64
 */
export async function sealApiKey(key: string, id: string, secrets: KeySecrets): Promise<string> {
  const [newest] = secrets;
  if (!newest) throw new Error('KEY_SECRETS holds no secret');
  const [version, secret] = newest;
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(id) },
    await aesKey(secret, 'encrypt'),
    new TextEncoder().encode(key),
  );
  return [version, encodeBase64(iv.buffer), encodeBase64(sealed)].join('.');
}

/** The key again, or null when its secret is gone or the row was tampered with. */
export async function openApiKey(
  sealed: string,
  id: string,
  secrets: KeySecrets,
): Promise<string | null> {
  const [version = '', iv = '', ciphertext = ''] = sealed.split('.');
  const secret = secrets.get(version);
  if (!secret) return null;
  try {
    const opened = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: decodeBase64(iv), additionalData: new TextEncoder().encode(id) },
      await aesKey(secret, 'decrypt'),
      decodeBase64(ciphertext),
    );
    return new TextDecoder().decode(opened);
  } catch {
    return null;
  }
}

/** CRC-32 (IEEE) of `text` as six base62 digits, the most significant first. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < checksumLength; i += 1) {
    digits = alphabet.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function aesKey(secret: Uint8Array<ArrayBuffer>, usage: 'encrypt' | 'decrypt') {
  return crypto.subtle.importKey('raw', secret, 'AES-GCM', false, [usage]);
}

/** What is stored of a key; schema.sql describes the columns. */
export interface ApiKeyMaterial {
  readonly id: string;
  readonly hash: string;
  readonly prefix: string;
  readonly secret: string | null;
}

/** Makes a key, and what is stored of it under `id`. */
export async function makeApiKeyMaterial(
  id: string,
  secrets: KeySecrets,
): Promise<{ readonly key: string; readonly material: ApiKeyMaterial }> {
  const key = makeApiKey();
  const [hash, secret] = await Promise.all([hashApiKey(key), sealApiKey(key, id, secrets)]);
  return { key, material: { id, hash, prefix: apiKeyPrefix(key), secret } };
}

/**
 * The hash by which the key of a request is looked up; null without a key or with
 * a wrong checksum, so that look-alikes never reach the database. Keys are taken
 * from the `Authorization` header only.
 */
export async function presentedKeyHash(request: {
  header(name: string): string | undefined;
}): Promise<string | null> {
  const [, key] = /^Bearer +(\S+) *$/i.exec(request.header('Authorization') ?? '') ?? [];
  return key !== undefined && isWellFormedApiKey(key) ? hashApiKey(key) : null;
}

/** Version → 32 bytes of AES key. The first entry is the newest: it seals, all of them open. */
export type KeySecrets = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

const pair = /^([0-9A-Za-z]{1,16}):(.*)$/;

/** Parses `version:base64` pairs separated by commas, newest first; null for anything else. */
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

/** Parses 32 bytes in base64; null for anything else. */
export function parseSecret(text: string): Uint8Array<ArrayBuffer> | null {
  return /^[0-9A-Za-z+/]{43}=$/.test(text) ? decodeBase64(text) : null;
}

type Resealed =
  /** The key is sealed under the newest secret already, and opens. */
  | { readonly kind: 'current' }
  /** The key, sealed again under the newest secret. */
  | { readonly kind: 'resealed'; readonly sealed: string }
  /** None of the secrets opens it. */
  | { readonly kind: 'unreadable' };

/** Re-encrypts a sealed key under the newest secret, as the rotation of secrets does for each. */
export async function resealApiKey(
  sealed: string,
  id: string,
  secrets: KeySecrets,
): Promise<Resealed> {
  const key = await openApiKey(sealed, id, secrets);
  if (key === null) return { kind: 'unreadable' };
  const [newest] = secrets.keys();
  if (sealedUnder(sealed) === newest) return { kind: 'current' };
  return { kind: 'resealed', sealed: await sealApiKey(key, id, secrets) };
}

/** The version of the secret that a key is sealed under. */
export function sealedUnder(sealed: string): string {
  const [version = ''] = sealed.split('.', 1);
  return version;
}
