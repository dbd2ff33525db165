import { crc32 } from 'node:zlib';
import { decodeBase64, encodeBase64 } from 'hono/utils/encode';
import { sha256, toBase62 } from './hashing.ts';
import { issueToMailbox, mailboxOf, mailboxTokens, type Presented } from './mailbox.ts';
import { newestOf, type Secret, type SecretVersions } from './secrets.ts';
import { tokenLength } from './token.ts';

/**
 * API keys: `fewer_`, the parts of every token (token.ts), and 6 digits of CRC-32; 69 characters.
 *
 * The fixed prefix lets secret scanners find leaked keys, the checksum lets them tell a key from a look-alike without
 * any secret, and the alphabet makes a double click select the whole key. Modeled on GitHub's tokens
 * (https://github.blog/engineering/behind-githubs-new-authentication-token-formats).
 */
const kind = mailboxTokens('fewer_');
const checksumLength = 6;
const keyLength = tokenLength(kind) + checksumLength;

/** Matches any text that contains the beginning of a key, complete or truncated. */
export const keyLookalike = new RegExp(`${kind.prefix}[0-9A-Za-z]`);

/** Creates a key for an account with this mailbox. */
export async function makeApiKey(mailboxId: string, secrets: SecretVersions): Promise<string> {
  const token = await issueToMailbox(kind, mailboxId, secrets);
  return token + checksum(token);
}

/** Whether `text` has the length and the checksum of a key; `mailboxOf` checks the rest. */
export function isWellFormedApiKey(text: string): boolean {
  const token = text.slice(0, -checksumLength);
  return text.length === keyLength && text.slice(-checksumLength) === checksum(token);
}

/** The part of a key that may be shown and logged. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, 11);
}

/** SHA-256 in hexadecimal, for lookup. No salt or stretching is needed, because keys are random. */
export function hashApiKey(key: string): Promise<string> {
  return sha256(key);
}

/**
 * Encrypts a key for storage: AES-256-GCM under the newest secret, with the key's id as additional data, so that a
 * sealed key is valid in no other row.
 * @returns `version.iv.ciphertext`, the last two in base64
 */
export async function sealApiKey(
  key: string,
  id: string,
  secrets: SecretVersions,
): Promise<string> {
  const [version, secret] = newestOf(secrets);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(id) },
    await aesKey(secret),
    new TextEncoder().encode(key),
  );
  return [version, encodeBase64(iv.buffer), encodeBase64(sealed)].join('.');
}

/** Decrypts a sealed key; null if its secret has been removed or the row was tampered with. */
export async function openApiKey(
  sealed: string,
  id: string,
  secrets: SecretVersions,
): Promise<string | null> {
  const [version = '', iv = '', ciphertext = ''] = sealed.split('.');
  const secret = secrets.get(version);
  if (!secret) return null;
  try {
    const opened = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: decodeBase64(iv), additionalData: new TextEncoder().encode(id) },
      await aesKey(secret),
      decodeBase64(ciphertext),
    );
    return new TextDecoder().decode(opened);
  } catch {
    return null;
  }
}

/** CRC-32 (IEEE) of `text` as six base62 digits. */
function checksum(text: string): string {
  return toBase62(BigInt(crc32(text)), checksumLength);
}

/** Cache of imported secrets: listing a thousand keys decrypts all of them. */
const aesKeys = new WeakMap<Secret, CryptoKey>();

async function aesKey(secret: Secret): Promise<CryptoKey> {
  const known = aesKeys.get(secret);
  if (known) return known;
  const usages = ['encrypt', 'decrypt'] as const;
  const imported = await crypto.subtle.importKey('raw', secret, 'AES-GCM', false, [...usages]);
  aesKeys.set(secret, imported);
  return imported;
}

/** The stored data of a key; schema.sql describes the columns. */
export interface ApiKeyMaterial {
  readonly id: string;
  readonly hash: string;
  readonly prefix: string;
  readonly secret: string | null;
}

/** The secrets needed to create keys. */
export interface ApiKeySecrets {
  /** For the MAC. */
  readonly tokenSecrets: SecretVersions;
  /** For encrypting the key. */
  readonly keySecrets: SecretVersions;
}

/** Creates a key for an account with this mailbox, and the data to store under `id`. */
export async function makeApiKeyMaterial(
  id: string,
  mailboxId: string,
  { tokenSecrets, keySecrets }: ApiKeySecrets,
): Promise<{ readonly key: string; readonly material: ApiKeyMaterial }> {
  const key = await makeApiKey(mailboxId, tokenSecrets);
  const [hash, secret] = await Promise.all([hashApiKey(key), sealApiKey(key, id, keySecrets)]);
  return { key, material: { id, hash, prefix: apiKeyPrefix(key), secret } };
}

/** Reads an API key; null for one that was never issued, so that forged keys never reach the database. */
export async function readApiKey(
  key: string,
  tokenSecrets: SecretVersions,
): Promise<Presented | null> {
  if (!isWellFormedApiKey(key)) return null;
  const mailboxId = await mailboxOf(kind, key.slice(0, -checksumLength), tokenSecrets);
  return mailboxId === null ? null : { hash: await hashApiKey(key), mailboxId };
}

/**
 * The key of a request; null if there is none or it was never issued. Keys are accepted only in the `Authorization`
 * header.
 */
export async function presentedKey(
  request: { header(name: string): string | undefined },
  tokenSecrets: SecretVersions,
): Promise<Presented | null> {
  const [, key = ''] = /^Bearer +(\S+) *$/i.exec(request.header('Authorization') ?? '') ?? [];
  return readApiKey(key, tokenSecrets);
}

type Resealed =
  /** The key is already sealed under the newest secret, and can be decrypted. */
  | { readonly kind: 'current' }
  /** The key, sealed again under the newest secret. */
  | { readonly kind: 'resealed'; readonly sealed: string }
  /** None of the secrets decrypts the key. */
  | { readonly kind: 'unreadable' };

/** Re-encrypts a sealed key under the newest secret, for the rotation of secrets. */
export async function resealApiKey(
  sealed: string,
  id: string,
  secrets: SecretVersions,
): Promise<Resealed> {
  const key = await openApiKey(sealed, id, secrets);
  if (key === null) return { kind: 'unreadable' };
  const [newest] = secrets.keys();
  if (sealedUnder(sealed) === newest) return { kind: 'current' };
  return { kind: 'resealed', sealed: await sealApiKey(key, id, secrets) };
}

/** The version of the secret under which a key is sealed. */
export function sealedUnder(sealed: string): string {
  const [version = ''] = sealed.split('.', 1);
  return version;
}
