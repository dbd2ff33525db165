import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../../scripts/local/root.ts';
import { signatureOf } from '../../../src/routes/delivery/url-signature.ts';
import { systemNode } from './support/command.ts';
import { newFolder } from './support/folders.ts';
import { pack } from './support/package.ts';

/** A program that only compiles where the package has types. */
function consumer(name: string): string {
  return `
    import { type ImageSet, optimize, optimizeSet, type SetOptions } from '${name}';
    import { Client } from '${name}/client';
    import { imageUrl, signSrcSet, signUrl, srcSet, type UrlOptions } from '${name}/delivery';
    import { optimize as optimizeFile, optimizeFiles } from '${name}/files';
    import { createPool } from '${name}/pool';
    import { optimizeImages } from '${name}/vite';
    const { width } = await optimize(new Uint8Array(1), { format: 'webp', maxBytes: 5000 });
    const pooled = await createPool({ size: 1 }).optimize(new Uint8Array(1));
    const { inputBytes } = await optimizeFile('a.jpg', { options: { format: 'webp' } });
    const { peakMemory } = await optimizeFiles(['a.jpg'], { inPlace: true });
    const { score } = await new Client({ url: '', key: '' }).optimize(new Uint8Array(1), { maxBytes: 5000 });
    const set: SetOptions = { widths: [400, 800], formats: ['avif', 'keep'], ratio: '16:9' };
    const { results, failed }: ImageSet = await optimizeSet(new Uint8Array(1), set);
    const pooledSet: ImageSet = await createPool({ size: 1 }).optimizeSet(new Uint8Array(1), set);
    await optimizeFiles(['a.jpg'], { set, onEvent: (e) => e.type === 'set' && e.set.html.trim() });
    export const widths = [...results, ...pooledSet.results].map(({ boxWidth }) => boxWidth);
    export const details: string[] = failed.map(({ error }) => error.detail);
    export const numbers: (number | null)[] = [width, pooled.width, inputBytes, peakMemory, score];
    const options: UrlOptions = { width: 800, format: 'webp', expires: new Date() };
    export const url: string = await signUrl(imageUrl('/i/shop', 'a.jpg', options), 'secret');
    export const srcset: string = await signSrcSet(srcSet('/i/shop', 'a.jpg', [400]), 'secret');
    // @ts-expect-error
    imageUrl('/i/shop', 'a.jpg', { max_bytes: 5000 });
    // @ts-expect-error
    await optimizeFile('a.jpg', { options: { format: 'bogus' } });
    // @ts-expect-error
    await optimizeFiles(['a.jpg'], { inPlace: true, options: { max_bytes: 5000 } });
    // @ts-expect-error
    await optimizeSet(new Uint8Array(1), { widths: [400], format: 'webp' });
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
    expect(await readFile(join(unpacked, path), 'utf8'), path).not.toContain(`${dirname(root)}/`);
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

  // Workers and pages need nothing else.
  expect(await readFile(join(unpacked, 'dist/delivery.js'), 'utf8')).not.toMatch(/\bimport\b/);
  const program = `
    import { imageUrl, signUrl } from '${manifest.name}/delivery';
    console.log(await signUrl(imageUrl('/i/shop', 'é.jpg', { width: 80 }), 'secret'));`;
  const inModule = ['--input-type=module', '-e', program];
  const signature = await signatureOf(
    Uint8Array.from(new TextEncoder().encode('secret')),
    'w_80/%C3%A9.jpg',
  );
  expect(execFileSync(systemNode, inModule, { cwd: place }).toString()).toBe(
    `/i/shop/~${signature}/w_80/%C3%A9.jpg\n`,
  );

  const photo = join(place, 'photo.jpg');
  await copyFile(join(root, 'test/support/samples/photo.jpg'), photo);
  const [bin] = Object.values(manifest.bin as Record<string, string>);
  const printed = execFileSync(
    systemNode,
    [join(unpacked, String(bin)), '--in-place', 'photo.jpg'],
    {
      cwd: place,
      env: { ...process.env, FEWERBYTES_CACHE: join(place, '.cache') },
    },
  );
  expect(printed.toString()).toContain('1 optimized. 0 known from the cache. Peak memory: ');
  expect((await stat(photo)).size).toBeLessThan(200_000);
});
