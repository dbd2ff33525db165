/** Builds all packages in `packages/` for their tests; of the service, only the tarball of the first is a part. */
import { buildPackage, packageNames } from './local/packages.ts';

for (const name of packageNames) await buildPackage(name);
