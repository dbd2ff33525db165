import { expect } from 'vitest';
import type { KeyRecord } from '../../src/cabinet/browser/api/wire.ts';
import type { Client } from './client.ts';

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
