import { expect, it, vi } from 'vitest';
import { TokenLine } from '../../../../../src/cabinet/browser/workbench/token-line.ts';

it('hands out each token once, in the order in which they were asked for', async () => {
  const line = new TokenLine();
  const taken = [line.take(), line.take()];
  const renew = vi.fn<() => void>();
  line.offer('one', renew);
  expect(await taken[0]).toBe('one');
  expect(renew).toHaveBeenCalledOnce();
  line.offer('two', renew);
  expect(await taken[1]).toBe('two');
});

it('keeps a token until it is asked for, unless that expires', async () => {
  const line = new TokenLine();
  const renew = vi.fn<() => void>();
  line.offer('one', renew);
  expect(renew).not.toHaveBeenCalled();
  line.withdraw();
  const taken = line.take();
  line.offer('two', renew);
  expect(await taken).toBe('two');
});

it('keeps nobody waiting once there will be no token, until there is one again', async () => {
  const line = new TokenLine();
  const taken = line.take();
  line.fail();
  expect(await taken).toBeNull();
  expect(await line.take()).toBeNull();
  line.offer('one', () => {});
  expect(await line.take()).toBe('one');
});
