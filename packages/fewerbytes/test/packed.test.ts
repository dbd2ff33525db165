import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { root } from '../../../scripts/local/root.ts';
import { sharedTestService, type TestService } from '../../../test/support/service.ts';
import { systemNode } from './support/command.ts';
import { newFolder } from './support/folders.ts';
import { pack } from './support/package.ts';

let service: TestService;

beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

/** A program that only compiles where the package has types. */
function consumer(name: string): string {
  return `
    import { optimize as optimizeHere } from '${name}';
    import { createPool } from '${name}/pool';
    import { optimize } from '${name}/files';
    import { optimizeImages } from '${name}/vite';
    const { inputBytes } = await optimize('a.jpg', { options: { format: 'webp' } });
    const { bytes: made } = await optimizeHere(new Uint8Array(), { format: 'webp' });
    const { width } = await createPool({ size: 1 }).optimize(made);
    export const numbers: number[] = [inputBytes, width];
    // @ts-expect-error
    await optimize('a.jpg', { options: { format: 'bogus' } });
    // @ts-expect-error
    optimizeImages({ options: { format: 'webp' } });
  `;
}

it('the packed files are the built ones, README, license and package.json; they have types, and work in an empty folder', async () => {
  const place = await newFolder(onTestFinished);
  const { filename, files } = pack(place);
  const others = files.map(({ path }) => path).filter((path) => !path.startsWith('dist/'));
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(files.filter(({ path }) => !/\.(?:js|d\.ts|wasm|json|md)$|^LICENSE$/.test(path))).toEqual(
    [],
  );

  execFileSync('tar', ['-xzf', join(place, filename), '-C', place]);
  const unpacked = join(place, 'package');
  for (const { path } of files) {
    expect(await readFile(join(unpacked, path), 'utf8'), path).not.toContain(dirname(root));
  }
  const manifest = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
  // what npm would install beside it
  for (const name of Object.keys(manifest.dependencies)) {
    expect(manifest.dependencies[name]).toMatch(/^\d+\.\d+\.\d+$/);
    await mkdir(join(unpacked, 'node_modules'), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(unpacked, 'node_modules', name));
  }
  await writeFile(join(place, 'consumer.mts'), consumer(manifest.name));
  await mkdir(join(place, 'node_modules'));
  await symlink(unpacked, join(place, 'node_modules', manifest.name));
  for (const name of ['vite', '@types']) {
    await symlink(join(root, 'node_modules', name), join(place, 'node_modules', name));
  }
  const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--skipLibCheck'];
  execFileSync(join(root, 'node_modules/.bin/tsc'), [...strict, 'consumer.mts'], { cwd: place });

  const photo = join(place, 'photo.jpg');
  await copyFile(join(root, 'test/support/samples/photo.jpg'), photo);
  const [bin] = Object.values(manifest.bin as Record<string, string>);
  const printed = execFileSync(systemNode, [join(unpacked, String(bin)), 'photo.jpg'], {
    cwd: place,
    env: {
      ...process.env,
      FEWERBYTES_URL: service.url.href,
      FEWERBYTES_KEY: service.key,
      FEWERBYTES_CACHE: join(place, '.cache'),
    },
  });
  expect(printed.toString()).toContain('1 optimized. 1 request sent');
  expect((await stat(photo)).size).toBeLessThan(200_000);
});
