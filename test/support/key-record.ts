import { expect } from 'vitest';
import type { Client } from './client.ts';

/** An API key as the key routes show it. */
export interface KeyRecord {
  readonly id: string;
  /** Only where the service still has it. */
  readonly key?: string;
  readonly prefix: string;
  readonly name: string;
  readonly comment: string;
  readonly status: string;
  readonly has_secret: boolean;
  readonly today_used: number;
  readonly all_time_used: number;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

export async function createKey(client: Client, body: unknown): Promise<KeyRecord> {
  return recordIn(await client.post('/v1/keys', body), 201);
}

export async function listKeys(client: Client): Promise<readonly KeyRecord[]> {
  const response = await client.get('/v1/keys');
  expect(response.status).toBe(200);
  const { items } = (await response.json()) as { items: KeyRecord[] };
  return items;
}

/** The record that a successful answer is. */
export async function recordIn(response: Response, status: 200 | 201): Promise<KeyRecord> {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  expect(response.headers.get('Content-Type')).toContain('application/json');
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  return JSON.parse(text) as KeyRecord;
}

/** The key of a record that must have one. */
export function keyOf({ key }: KeyRecord): string {
  if (key === undefined) throw new Error('the record has no key');
  return key;
}
