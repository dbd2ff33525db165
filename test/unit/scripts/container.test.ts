import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDockerfile } from '../../../scripts/local/dockerfile.ts';
import { makeStage, sandboxed } from '../../../scripts/local/image.ts';
import { root } from '../../../scripts/local/root.ts';
import { inFolder } from '../../support/bindings.ts';

const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const stages = readDockerfile(textOf('Dockerfile'));
const version = JSON.parse(textOf('package.json')).devDependencies.node;

it('the stages of the image begin with the Node that everything else runs on', () => {
  expect(stages.map(({ name, base }) => [name, base])).toEqual([
    ['build', `node:${version}-slim`],
    [null, `node:${version}-slim`],
  ]);
});

it('the image has the build, a folder for data of its own, and runs as another user than root', async () => {
  await inFolder(async (folder) => {
    const built = join(folder, 'built');
    mkdirSync(join(built, 'build/dist/node'), { recursive: true });
    mkdirSync(join(built, 'build/volumes/data'), { recursive: true, mode: 0o700 });
    writeFileSync(join(built, 'build/dist/node/server.js'), '');
    const target = join(folder, 'target');
    mkdirSync(target);
    const [, last] = stages;
    if (!last) throw new Error('no second stage');
    const image = makeStage({
      ...{ stage: last, root: target, context: folder, others: new Map([['build', built]]) },
      run: () => {},
    });
    expect(image).toMatchObject({
      ...{ folder: '/app', volumes: ['/data'], command: ['node', 'server.js'] },
      ...{ user: [1000, 1000], env: { STATE_DIR: '/data', HOST: '0.0.0.0' } },
    });
    expect(statSync(join(target, 'app/server.js')).isFile()).toBe(true);
    expect(statSync(join(target, 'data')).isDirectory()).toBe(true);
  });
});

it('an instruction that is not known, or a command in shell form, is refused', () => {
  const make = (step: string) =>
    makeStage({
      stage: readDockerfile(`FROM node AS it\n${step}`)[0] ?? { name: '', base: '', steps: [] },
      ...{ root: '/nowhere', context: '/nowhere', others: new Map(), run: () => {} },
    });
  expect(() => make('ADD https://a.example/ /')).toThrow('ADD is not known');
  expect(() => make('CMD node server.js')).toThrow();
  expect(() => make('USER node')).toThrow('Not the numbers');
  expect(() => make('COPY --from=other /a /b')).toThrow('Not understood');
});

/** Sandboxes need a program, and a system that lets them be made. */
const canBeMade = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;

it.skipIf(!canBeMade)(
  'a program in the sandbox can write its volume, and nothing else',
  async () => {
    await inFolder(async (folder) => {
      const [place, data] = [join(folder, 'image'), join(folder, 'data')];
      mkdirSync(join(place, 'app'), { recursive: true });
      mkdirSync(data);
      cpSync(join(root, 'LICENSE'), join(place, 'app/LICENSE'));
      const image = {
        ...{ root: place, env: { OWN: 'yes' }, folder: '/app', user: [1000, 1000] as const },
        ...{ volumes: ['/data'], healthCheck: [], command: [] },
      };
      const script =
        'echo "$OWN $(id -u) $(ls)"; for i in / /app /tmp /etc /data; do touch $i/it 2>&- && echo $i; done';
      const [program = '', ...args] = sandboxed(
        {
          ...{ image, hasNetwork: false, env: {}, user: image.user, readable: {} },
          writable: { '/data': data },
        },
        ['/bin/sh', '-c', script],
      );
      const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
      expect([stdout, stderr]).toEqual(['yes 1000 LICENSE\n/data\n', '']);
    });
  },
);
