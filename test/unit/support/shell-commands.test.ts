import { describe, expect, it } from 'vitest';
import { commandsOf, curlRequest } from '../../support/docs/commands.ts';

describe('commands of a script', () => {
  it.each([
    ['npm start      # comment', [['npm', 'start']]],
    ['A=1 B="x y" npm run -s key -- a@b.c', [['npm', 'run', '-s', 'key', '--', 'a@b.c']]],
    ['KEY=$(npm run -s key)', [['npm', 'run', '-s', 'key']]],
    [
      'echo "a $(date) b" | npx tool put X &&\n  sleep 1',
      [['echo', 'a $(date) b'], ['npx', 'tool', 'put', 'X'], ['sleep', '1'], ['date']],
    ],
    [
      'curl -sS \\\n  "http://x/y?a=b" -d \'{"a": 1}\'',
      [['curl', '-sS', 'http://x/y?a=b', '-d', '{"a": 1}']],
    ],
    [
      'for w in 1 2; do\n  run "$w" "f-$w"\ndone',
      [
        ['run', '1', 'f-1'],
        ['run', '2', 'f-2'],
      ],
    ],
    ['api() { curl -sS "$@"; echo; }', [['api'], ['curl', '-sS', '$@'], ['echo']]],
  ])('are its words: %s', (script, commands) => {
    expect(commandsOf(script)).toEqual(commands);
  });
});

it('a curl command is the request that it sends', () => {
  const words = ['-sS', 'http://x/v1', '-H', 'A: b', '-d', '{}', '-o', 'file'];
  expect(curlRequest(words)).toEqual({
    ...{ method: 'POST', url: 'http://x/v1', headers: ['A: b'], body: '{}', parts: [] },
    writeOut: '',
  });
  expect(curlRequest(['-X', 'PATCH', 'http://x', '-F', 'a=b'])).toMatchObject({
    method: 'PATCH',
    parts: ['a=b'],
  });
  expect(() => curlRequest(['--insecure', 'http://x'])).toThrow('--insecure');
});
