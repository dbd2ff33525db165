import { WorkerEntrypoint } from 'cloudflare:workers';

/** Keys that were written since the lag began; null if KV does not lag. */
let unseen: Set<string> | null = null;

/**
 * A Worker that replaces the KV namespace and can be made to lag, as KV does for a minute or more in locations where a
 * key was looked up before it was written: new values are not visible there.
 */
export default class LaggingKv extends WorkerEntrypoint<{ KV: KVNamespace }> {
  async get(
    key: string,
    type: 'text' | 'stream' = 'text',
  ): Promise<string | ReadableStream | null> {
    if (unseen?.has(key)) return null;
    return type === 'stream' ? this.env.KV.get(key, 'stream') : this.env.KV.get(key);
  }

  async put(
    key: string,
    value: string | ReadableStream,
    options?: KVNamespacePutOptions,
  ): Promise<void> {
    unseen?.add(key);
    await this.env.KV.put(key, value, options);
  }

  async delete(key: string): Promise<void> {
    if (unseen === null) await this.env.KV.delete(key);
  }

  async lag(isLagging: boolean): Promise<void> {
    unseen = isLagging ? new Set() : null;
  }

  override async fetch(): Promise<Response> {
    return new Response(null, { status: 404 });
  }
}
