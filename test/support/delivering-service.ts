import { signatureOf } from '../../src/routes/delivery/url-signature.ts';
import { Client } from './client.ts';
import { type FetchingService, startFetchingService } from './fetching-service.ts';

export interface DeliveringService extends FetchingService {
  /** The owner of the sites. */
  readonly owner: Client;
  /** Creates a site of the foreign server's images. */
  site(slug: string, options?: Record<string, unknown>): Promise<Site>;
  /** Requests an image by URL, and follows no redirect. */
  get(path: string, headers?: Record<string, string>, init?: RequestInit): Promise<Response>;
}

export interface Site {
  readonly id: string;
  readonly slug: string;
  readonly secrets: readonly { readonly secret: string }[];
}

/** The service with someone who has sites, whose images the foreign server has. */
export async function startDeliveringService(
  vars: Readonly<Record<string, string>> = {},
): Promise<DeliveringService> {
  const service = await startFetchingService({ FREE_FILES_PER_MONTH: '100000', ...vars });
  const owner = new Client(service.origin);
  await owner.signIn('owner@gmail.com');
  return {
    ...service,
    owner,
    async site(slug, options = {}) {
      const source = service.foreign.at('/');
      const response = await owner.post('/v1/sites', { name: slug, slug, source, ...options });
      if (response.status !== 201) throw new Error(await response.text());
      return response.json<Site>();
    },
    get: (path, headers = {}, init = {}) =>
      fetch(new URL(path, service.origin), { redirect: 'manual', headers, ...init }),
  };
}

/** The path of an image of a signed site. */
export async function signedPath({ slug, secrets }: Site, rest: string): Promise<string> {
  const secret = Uint8Array.from(Buffer.from(secrets[0]?.secret ?? ''));
  return `/i/${slug}/~${await signatureOf(secret, rest)}/${rest}`;
}
