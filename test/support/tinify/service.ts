import { Client, createKey, keyOf } from '../client.ts';
import { type FetchingService, startFetchingService } from '../fetching-service.ts';
import { startTlsProxy } from './tls-proxy.ts';

/** The service as clients of Tinify reach it: behind TLS. */
export interface TinifyService extends Pick<FetchingService, 'bindings' | 'foreign' | 'nobody'> {
  /** Origin for clients; begins with `https://localhost:`. */
  readonly origin: string;
  /** Origin without TLS, for raw requests. */
  readonly plainOrigin: string;
  /** The certificate that clients have to trust, in PEM. */
  readonly authority: string;
  /** A new key of the user with this normalized address, optionally with a monthly limit. */
  newKey(email: string, monthlyLimit?: number): Promise<string>;
  close(): Promise<void>;
}

/** Starts the service, and TLS in front of it. */
export async function startTinifyService(): Promise<TinifyService> {
  const proxy = await startTlsProxy();
  const service = await startFetchingService({
    PUBLIC_ORIGIN: proxy.origin,
    FREE_FILES_PER_MONTH: '1000',
    ALLOWED_EMAIL_DOMAINS: 'example.com',
  });
  proxy.leadTo(service.origin);
  const clients = new Map<string, Client>();
  return {
    bindings: service.bindings,
    foreign: service.foreign,
    nobody: service.nobody,
    origin: proxy.origin,
    plainOrigin: service.origin,
    authority: proxy.authority,
    newKey: async (email, monthlyLimit) => {
      let client = clients.get(email);
      if (!client) {
        client = new Client(service.origin);
        await client.signIn(email);
        clients.set(email, client);
      }
      const limit = monthlyLimit === undefined ? {} : { monthly_limit: monthlyLimit };
      return keyOf(await createKey(client, { name: 'a', ...limit }));
    },
    close: async () => {
      await proxy.close();
      await service.close();
    },
  };
}
