import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/cabinet/browser/api/wire.ts';
import { expectProblem } from '../../support/answers.ts';
import { FailingService } from './failing-service.ts';

let service: FailingService;
beforeAll(async () => {
  service = await FailingService.start();
});
afterAll(() => service.close());

describe('a payment provider that is not there', () => {
  it('is told as such, costs nothing, and is asked again', async () => {
    const buy = () => service.client.post('/v1/payments/checkout', { pack: 'small' });
    const statuses = async () => {
      const { items } = (await (await service.client.get('/v1/payments')).json()) as {
        items: Payment[];
      };
      return items.map(({ status }) => status);
    };
    const before = await statuses();
    await service.parts.stripe.stop();
    await expectProblem(await buy(), 'payment_provider_failed');
    await service.parts.stripe.start();
    expect(await statuses()).toEqual(['failed', ...before]);
    expect((await buy()).status).toBe(200);
    expect(await statuses()).toEqual(['pending', 'failed', ...before]);
  });
});
