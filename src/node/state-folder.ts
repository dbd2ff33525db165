import type { Platform } from '../platform.ts';
import type { Environment } from './settings.ts';

/** The parts of the platform that lie in the state folder. */
type StoredParts = 'DB' | 'KV' | 'RESULTS' | 'OUTPUTS' | 'METER' | 'RESULT_LEASES';

/** Everything that the service keeps. */
export interface State {
  /** Whether the folder was empty. */
  readonly isNew: boolean;
  /** Secrets, and what was kept with `keep`, by the name of the setting; what the environment has goes first. */
  readonly texts: Readonly<Record<string, string>>;
  /** Keeps the text of a setting beside the secrets, for this and later starts. */
  keep(name: string, text: string): void;
  /** The whole platform; from then on, alarms of meters fire. To be called once. */
  platform(others: Omit<Platform, StoredParts>): Platform;
  /** Deletes values that have expired, and copies of the database that are old. */
  clearExpired(now: number): void;
  /** Writes the figures of meters to the database, and closes all files. Nothing may be called any more. */
  close(): Promise<void>;
}

/** Where a state is opened. */
export interface StatePlace {
  readonly folder: string;
  /** Folder of the migrations of this version. */
  readonly migrations: string;
  readonly environment: Environment;
}

/**
 * Opens the state folder for a server, the only one; it is made if it does not exist, and its database is migrated.
 * @throws Error with one line for the operator: if another server has it, it cannot be written, or a migration fails
 */
export async function openState(_place: StatePlace): Promise<State> {
  throw new Error('not yet');
}
