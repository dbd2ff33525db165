import { expect, it } from 'vitest';
import { eachPicture } from '../../../bench/measures/figures.ts';

it('measures the other pictures where one cannot be, in their order', async () => {
  const said: string[] = [];
  const pictures = ['first', 'second', 'third'].map((name) => ({ name }));
  const measure = async ({ name }: { name: string }) => {
    if (name === 'second') throw new Error('rows are missing');
    return name.length;
  };
  expect(await eachPicture(pictures, measure, (line) => said.push(line))).toEqual({
    results: [5, 5],
    failures: ['second: rows are missing'],
  });
  expect(said).toEqual(['first', 'second: not measured', 'third']);
});
