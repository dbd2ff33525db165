import sharp from 'sharp';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { expectPicture, expectProblem } from '../support/answers.ts';
import { plainPicture } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

describe('a WebP whose picture is longer than its chunk says', () => {
  it('is refused, and never handed on cut short', { tags: 'slow' }, async () => {
    const sound = await plainPicture(300, 300).webp({ lossless: true }).toBuffer();
    await expectPicture(await service.optimize(sound));
    for (const missing of [2, 8, 100]) {
      const lying = Buffer.from(sound);
      lying.writeUInt32LE(lying.readUInt32LE(16) - missing, 16);
      for (const query of ['', '?format=auto', '?quality=lossless', '?width=100']) {
        const response = await service.optimize(lying, query);
        if (response.status === 200) {
          // The missing bytes were padding.
          await sharp(await expectPicture(response), { failOn: 'warning' })
            .raw()
            .toBuffer();
        } else {
          await expectProblem(response, 'invalid_image');
        }
      }
    }
    const cut = Buffer.from(sound);
    cut.writeUInt32LE(cut.readUInt32LE(16) - 100, 16);
    await expectProblem(await service.optimize(cut), 'invalid_image');
  });
});
