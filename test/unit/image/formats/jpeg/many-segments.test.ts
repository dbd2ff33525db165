import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { plainPicture } from '../../../../support/pictures.ts';

/** Rewraps the JPEG on its command line, in base64, with three million segments behind its scan. */
const script = `
  import { inspect } from './src/image/formats/registry.ts';
  import { rewrap } from './src/image/formats/registry.ts';
  import { noMetadata } from './src/image/metadata/metadata.ts';
  const photo = Buffer.from(process.argv[1], 'base64');
  const restart = Buffer.alloc(6 * 3_000_000, Buffer.from([0xff, 0xdd, 0, 4, 0, 0]));
  const file = Buffer.concat([photo.subarray(0, -2), restart, photo.subarray(-2)]);
  const { image } = inspect(photo);
  const copy = rewrap(image, file, { icc: null, metadata: noMetadata });
  console.log(Buffer.from(copy).toString('base64'));
`;

describe('a JPEG of millions of segments', () => {
  it('is rewrapped without a list of them', { tags: 'slow' }, async () => {
    const photo = await plainPicture(40, 30).jpeg().toBuffer();
    // a heap that such a list would not fit into
    const loader = ['--import', './test/support/wasm-loader.ts'];
    const options = ['--max-old-space-size=64', ...loader, '--input-type=module', '-e'];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...options, script, photo.toString('base64')],
      { cwd: join(import.meta.dirname, '../../../../..') },
    );
    expect(Buffer.from(stdout, 'base64')).toEqual(photo);
  });
});
