import { resealApiKey } from '../access/api-key.ts';
import { parseSecretVersions, type SecretVersions } from '../access/secrets.ts';
import type { Transaction } from '../store/database.ts';
import {
  keysByVersion,
  replaceSealedKeys,
  sealedKeysAfter,
  someSealedUnder,
} from '../store/sealed-keys.ts';
import {
  outdatedSecrets,
  publishSite,
  type SiteStores,
  unpublishedSites,
} from '../store/site-records.ts';

/** Keys read and written at a time: a command line of wrangler holds 128 KiB. */
const batch = 100;

/** What a rotation has done. */
export interface Rotation {
  /** Keys that were sealed under the newest secret by this run. */
  readonly resealed: number;
  /** Keys that none of the secrets opens; they are unchanged. */
  readonly unreadable: number;
  /** Number of keys by the version of the secret that they are sealed under, afterwards. */
  readonly byVersion: ReadonlyMap<string, number>;
}

/** What a rotation under the newest version of some secrets has done. */
export interface Outcome extends Rotation {
  readonly newest: string;
  /** Sites that are still served from copies with secrets as they were sealed before. */
  readonly outdated: number;
}

/** What is known of the service whose keys are sealed anew. */
interface Service {
  /** As for `rotateKeys`. */
  readonly areServices?: boolean;
  /** Where its sites are published at once; without them, its cron job does that. */
  readonly stores?: SiteStores;
}

/**
 * Does `rotateKeys` under secrets as `KEY_SECRETS` has them.
 * @throws Error as `rotateKeys`, or if that is no list of secrets
 */
export async function rotateUnder(
  run: Transaction,
  text: string,
  { areServices = false, stores }: Service = {},
): Promise<Outcome> {
  const secrets = parseSecretVersions(text.trim());
  if (!secrets) {
    throw new Error('KEY_SECRETS should be "version:base64" pairs of 32 bytes, newest first.');
  }
  const [newest = ''] = secrets.keys();
  const rotation = await rotateKeys(run, secrets, areServices);
  if (stores) {
    for (const id of await unpublishedSites(stores.DB, -1)) await publishSite(stores, id);
  }
  return { newest, ...rotation, outdated: await outdatedSecrets(run) };
}

/**
 * Prints the outcome.
 * @returns the exit status: 0 if no older secret is needed any more
 */
export function reportRotation({
  newest,
  resealed,
  unreadable,
  byVersion,
  outdated,
}: Outcome): number {
  const older = [...byVersion.keys()].filter((version) => version !== newest);
  console.log(`Sealed anew under version ${newest}: ${resealed}.`);
  for (const [version, keys] of byVersion) console.log(`Under version ${version}: ${keys}.`);
  if (unreadable > 0) {
    console.log(
      `None of these secrets opens ${unreadable} of them; they were left as they are. Remove no secret before you know why.`,
    );
    return 1;
  }
  if (older.length > 0) {
    console.log('Keys were made under an older secret meanwhile: run this again.');
    return 1;
  }
  if (outdated > 0) {
    console.log(`Sites served with secrets as they were: ${outdated}. Run this again.`);
    return 1;
  }
  console.log(`All secrets but version ${newest} may be removed from KEY_SECRETS.`);
  return 0;
}

/**
 * Seals every stored API key, and every secret of a site, under the newest of the secrets. A row is updated only if it
 * is still as it was read, so the service may run concurrently, and the rotation may be repeated.
 * @param areServices whether the secrets are known to be those of the service; otherwise, the newest has to open a key
 * that the service itself has sealed under it
 * @throws Error if it does not, or there is no such key; in that case, nothing was changed
 */
export async function rotateKeys(
  run: Transaction,
  secrets: SecretVersions,
  areServices = false,
): Promise<Rotation> {
  if (!areServices) await demandSameSecret(run, secrets);
  let resealed = 0;
  let unreadable = 0;
  for (let after = ''; ; ) {
    const keys = await sealedKeysAfter(run, after, batch);
    const outcomes = await Promise.all(
      keys.map(async (key) => ({
        key,
        outcome: await resealApiKey(key.secret, key.id, secrets),
      })),
    );
    const changes = outcomes.flatMap(({ key, outcome }) =>
      outcome.kind === 'resealed' ? [{ ...key, sealed: outcome.sealed }] : [],
    );
    resealed += await replaceSealedKeys(run, changes);
    unreadable += outcomes.filter(({ outcome }) => outcome.kind === 'unreadable').length;
    const last = keys.at(-1);
    if (!last || keys.length < batch) break;
    after = last.place;
  }
  return { resealed, unreadable, byVersion: await keysByVersion(run) };
}

/** A mistyped secret would seal every key so that the service could not open it. */
async function demandSameSecret(run: Transaction, secrets: SecretVersions): Promise<void> {
  const [newest = ''] = secrets.keys();
  const keys = await someSealedUnder(run, newest, batch);
  const outcomes = await Promise.all(
    keys.map(({ id, secret }) => resealApiKey(secret, id, secrets)),
  );
  if (outcomes.length === 0 && (await keysByVersion(run)).size > 0) {
    throw new Error(
      `No key is sealed under version ${newest} of KEY_SECRETS yet, so that nothing shows whether the service has the same secret: make a key in the dashboard, revoke it, and run this again. Nothing was changed.`,
    );
  }
  if (outcomes.length > 0 && outcomes.every(({ kind }) => kind === 'unreadable')) {
    throw new Error(
      `Version ${newest} of KEY_SECRETS is not the secret that the service seals under: nothing was changed.`,
    );
  }
}
