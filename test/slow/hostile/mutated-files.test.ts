import { describe, expect, it, onTestFinished } from 'vitest';
import { formats, mutationOriginals } from '../../support/mutations/originals.ts';
import { faults, verdict } from '../../support/mutations/report.ts';
import { mutatedRequests, type RunReport, runMutations } from '../../support/mutations/run.ts';
import { startTestService } from '../../support/service.ts';

const seed = 20_261_122;
// enough for all that is built up once to be there after two fifths of them
const files = 2600;

describe('damaged files of every format', () => {
  let report: RunReport;

  it(`are answered with a picture or a refusal, by seed ${seed}`, async () => {
    const indexes = Array.from({ length: files }, (_, i) => i);
    report = await runMutations({ seed, indexes, decodeEach: 5 });
    expect(faults(report)).toEqual([]);
    expect(verdict(report)).toMatchObject({
      isGood: true,
      line: expect.stringMatching(
        new RegExp(`^${files.toLocaleString('en')} mutated files: 0 answers of 5xx, 0 hangs, `),
      ),
    });
  }, 300_000);

  it('of each format that is read come to both ends', () => {
    for (const format of formats.filter((each) => each !== 'other')) {
      const statuses = report.outcomes
        .filter(({ request }) => request.format === format)
        .map(({ status }) => status);
      expect(statuses, format).toContain(200);
      expect(statuses, format).toContain(422);
    }
  });

  it('are the same whenever they are made of one seed and index', async () => {
    const [one, other] = [await mutatedRequests(seed), await mutatedRequests(seed)];
    for (const index of [0, 1, 2, 3, 77]) expect(one(index)).toEqual(other(index));
    expect(one(0).file).not.toEqual((await mutatedRequests(seed + 1))(0).file);
  });
});

describe('the files that they are made of', () => {
  it('are sound, or of a type that is not read', async () => {
    const service = await startTestService();
    onTestFinished(() => service.close());
    const kinds = await mutationOriginals();
    for (const format of formats) {
      for (const { name, file } of kinds[format].originals) {
        const response = await service.optimize(Uint8Array.from(file));
        const expected = format === 'other' ? [415, 422] : [200];
        expect(expected, `${format} ${name}: ${response.status}`).toContain(response.status);
        await response.arrayBuffer();
      }
    }
  }, 60_000);
});
