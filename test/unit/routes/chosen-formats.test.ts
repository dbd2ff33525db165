import { describe, expect, it } from 'vitest';
import { formatFacts, outputFacts } from '../../../src/image/formats/facts.ts';
import type { FormatFacts } from '../../../src/image/formats/format-facts.ts';
import type { Inspection } from '../../../src/image/formats/inspection.ts';
import { typicalSource } from '../../../src/image/formats/registry.ts';
import { typesToTry } from '../../../src/image/pipeline/candidates.ts';
import { readOptions } from '../../../src/routes/optimize/options.ts';
import { optionsOf, readCommands } from '../../../src/routes/tinify/commands.ts';

/** `chosen` of each format; input only formats are meant by every wildcard. */
const wildcardMeans = ({ output }: FormatFacts) => output?.chosen !== 'if-named';

describe('a format that is not asked for', () => {
  it.each([undefined, 'image/*', '*/*;q=0.1', 'image/tiff, image/*'])(
    'is accepted by %j unless it has to be named',
    (header) => {
      const accepted = readOptions([], header).accept;
      const expected = formatFacts.filter(wildcardMeans).map(({ type }) => type);
      expect([...accepted].sort()).toEqual(expected.toSorted());
    },
  );

  it.each(formatFacts)('is accepted where it is named: $type', ({ type, mediaType }) => {
    expect([...readOptions([], mediaType).accept]).toEqual([type]);
  });

  it('is one of those that Tinify’s wildcard stands for unless it has to be named', async () => {
    const request = { method: 'POST', body: '{"convert":{"type":"*/*"}}' };
    const commands = await readCommands(new Request('https://img.example', request));
    const expected = outputFacts.filter(
      (facts) => facts.output.holdsStills && wildcardMeans(facts),
    );
    expect(commands && optionsOf(commands, 'png').among).toEqual(
      new Set(expected.map(({ type }) => type)),
    );
  });

  it('is tried by format=auto as its facts say', () => {
    const image: Inspection = typicalSource(100_000).image;
    const everything = formatFacts.map(({ mediaType }) => mediaType).join(', ');
    const tried = (header: string) =>
      typesToTry(image, readOptions([['format', 'auto']], header)).filter(
        (type) => type !== 'jpeg',
      );
    const chosen = (when: string) =>
      outputFacts.filter(({ output }) => output.chosen === when).map(({ type }) => type);
    expect(tried('*/*')).toEqual(chosen('if-accepted'));
    expect(tried(everything)).toEqual([...chosen('if-accepted'), ...chosen('if-named')]);
  });
});
