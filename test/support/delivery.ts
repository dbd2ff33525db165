import { expect } from 'vitest';
import { ForeignServer } from './fetching-service.ts';
import { startTestService, type TestService } from './service.ts';

/** A service with sites, and the server whose pictures they deliver. */
export interface DeliveringService {
  readonly service: TestService;
  readonly pictures: ForeignServer;
  /**
   * Makes a site of an account.
   * @param fields of the request, in addition to name and source
   * @returns the URL below which its images are, without a slash at its end
   */
  site(email: string, slug: string, fields?: object): Promise<string>;
  close(): Promise<void>;
}

export async function startDeliveringService(
  vars: Record<string, string> = {},
): Promise<DeliveringService> {
  const pictures = new ForeignServer();
  await pictures.start();
  const service = await startTestService({
    ALLOW_HTTP_SOURCES: 'true',
    PRIVATE_SOURCES: `127.0.0.1:${pictures.port}`,
    ...vars,
  });
  return {
    service,
    pictures,
    site: async (email, slug, fields = {}) => {
      const client = await service.signedIn(email);
      const body = { name: slug, slug, source: pictures.at('/'), ...fields };
      const created = await client.post('/v1/sites', body);
      expect(created.status, await created.clone().text()).toBe(201);
      return new URL(`/i/${slug}`, service.url).href;
    },
    close: async () => {
      await service.close();
      await pictures.stop();
    },
  };
}

/** What clients send as `Accept` for an image, as recorded, and the types that they show. */
export const imageClients = {
  Chrome: {
    accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
    shows: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif'],
  },
  Firefox: {
    accept: 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
    shows: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif'],
  },
  Safari: {
    accept:
      'image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
    shows: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif', 'image/jxl'],
  },
  'a proxy of mails': {
    accept: 'image/*,*/*;q=0.8',
    shows: ['image/jpeg', 'image/png', 'image/gif'],
  },
  curl: { accept: '*/*', shows: ['image/jpeg', 'image/png', 'image/gif'] },
} as const;
