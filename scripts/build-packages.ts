/** Builds all packages in `packages/` for their tests; of the service, only the tarball of the first is a part. */
import { buildPackage, packageNames } from './local/packages.ts';

<<<<<<< HEAD
for (const name of packageNames) await buildPackage(name);
=======
const packages = ['fewerbytes', 'action'];
/** The engine, which the first one bundles. */
const engine = join(root, 'src/image');
const lock = join(root, 'package-lock.json');

for (const [at, name] of packages.entries()) {
  const folder = join(root, 'packages', name);
  const earlier = packages.slice(0, at).map((each) => join(root, 'packages', each, 'src'));
  const own = ['src', 'package.json', 'tsconfig.json', 'rolldown.config.ts'].map((each) =>
    join(folder, each),
  );
  if (await isFresh(join(folder, 'dist/index.js'), [...own, ...earlier, engine, lock])) continue;
  execFileSync('npm', ['run', '--silent', 'build'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
}
>>>>>>> 7e06ac56 (Bench: what a page downloads; the package leaves out what its XML parser has for HTML)
