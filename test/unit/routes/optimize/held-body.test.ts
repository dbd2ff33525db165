import { expect, it } from 'vitest';
import { memoryBudget } from '../../../../src/image/wasm/budgets.ts';
import { ledger } from '../../../../src/image/wasm/memory-ledger.ts';
import { HeldBytes } from '../../../../src/routes/optimize/held-body.ts';

const mebibyte = 2 ** 20;

it('what is derived from a body is kept beside it only where there is room', () => {
  const held = new HeldBytes({ owner: 'ann', announced: 1000, renew: () => {} });
  held.append(new Uint8Array(1000));
  held.complete();
  const others = ledger.keep(memoryBudget - 10 * mebibyte - ledger.held);
  expect(() => held.keepBeside(10 * mebibyte)).toThrow(
    expect.objectContaining({ code: 'overloaded' }),
  );
  held.keepBeside(mebibyte);
  const { held: whole } = ledger;
  held.end();
  expect(whole - ledger.held).toBe(mebibyte + 1000);
  others.release();
});
