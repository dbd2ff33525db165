import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../support/client.ts';
import { type Site, signedPath } from '../../support/delivering-service.ts';
import { ForeignServer } from '../../support/fetching-service.ts';
import { smallPhoto } from '../../support/pictures.ts';
import { RestartableService } from '../../support/restartable-service.ts';
import { StoreFile } from '../../support/store-file.ts';

const foreign = new ForeignServer();
let service: RestartableService;
let owner: Client;
let strict: Site;
beforeAll(async () => {
  await foreign.start();
  service = await RestartableService.start({ PRIVATE_SOURCES: `127.0.0.1:${foreign.port}` });
  owner = new Client(service.origin);
  await owner.signIn('owner@gmail.com');
  foreign.serve('/photo.jpg', await smallPhoto());
  foreign.on('/hanging.jpg', () => {});
  await site('open', {});
  strict = await site('strict', { signed: true });
});
afterAll(async () => {
  await service.close();
  await foreign.stop();
});

async function site(slug: string, options: object): Promise<Site> {
  const source = foreign.at('/');
  const response = await owner.post('/v1/sites', { name: slug, slug, source, ...options });
  expect(response.status).toBe(201);
  return response.json<Site>();
}

async function get(path: string): Promise<Response> {
  const response = await fetch(`${service.origin}${path}`, { redirect: 'manual' });
  await response.arrayBuffer();
  return response;
}

/** The status of an image that is kept, of one that is not, and of one that there is not, on both sites. */
async function statuses(width: number) {
  const names = ['w_50/photo.jpg', `w_${width}/photo.jpg`, `w_${width}/none.jpg`];
  const found = { open: [] as number[], strict: [] as number[] };
  for (const name of names) {
    const response = await get(`/i/open/${name}`);
    if (response.status === 302) {
      expect(response.headers.get('Location')).toBe(foreign.at(name.replace(/^.*\//, '/')));
    }
    found.open.push(response.status);
    found.strict.push((await get(await signedPath(strict, name))).status);
  }
  return found;
}

const well = { open: [200, 200, 404], strict: [200, 200, 404] };

describe('a page shows its images', () => {
  it('while the bucket is away', async () => {
    expect(await statuses(51)).toEqual(well);
    const bucket = StoreFile.of(service.stateDirectory, 'r2');
    const during = await bucket.without('_mf_objects', () => statuses(52));
    expect(during).toEqual(well);
    expect(await statuses(53)).toEqual(well);
  });

  it('while KV is away', async () => {
    const during = await service.kv.without(StoreFile.kvTable, () => statuses(54));
    expect(during).toEqual(well);
  });

  it('while the meter is away', async () => {
    const [meter] = service.meters;
    const during = await meter?.without('lanes', () => statuses(55));
    expect(during).toEqual({ open: [200, 302, 302], strict: [200, 503, 503] });
    expect(await statuses(56)).toEqual(well);
  });

  it('while the database is away, if the site is known', async () => {
    await service.database.without('sites', async () => {
      expect(await statuses(57)).toEqual(well);
    });
  });

  it('after the runtime was killed while it made one', async () => {
    const making = get('/i/open/w_58/hanging.jpg').catch(() => null);
    while (!foreign.asked.some(({ url }) => url === '/hanging.jpg'))
      await get('/i/open/w_50/photo.jpg');
    service.killAll();
    await making;
    await service.start();
    foreign.serve('/hanging.jpg', await smallPhoto());
    expect((await get('/i/open/w_58/hanging.jpg')).status).toBe(200);
    expect(await statuses(59)).toEqual(well);
  });
});
