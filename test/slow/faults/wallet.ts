import type { Payment } from '../../../src/cabinet/browser/api/wire.ts';
import type { Random } from '../../support/random.ts';
import { Purchase } from '../../support/shop.ts';
import { type StripeEvent, type StripeStandIn, signed } from '../../support/stripe.ts';
import { type Answer, jsonOf, type Tally, unexpected, type Visitor } from './visitor.ts';

/** What is bought, as wrangler.toml has it. */
const pack = { pack: 'small', files: 1000, amount: 500, currency: 'usd' } as const;

interface Bought {
  readonly purchase: Purchase;
  /** Events that Stripe has, the last one not answered perhaps. */
  readonly events: StripeEvent[];
  isAnswered: boolean;
  readonly isRefunded: boolean;
}

/** One customer's payments, and what was answered about them. */
export class Wallet {
  readonly #origin: string;
  readonly #owner: Visitor;
  readonly #stripe: StripeStandIn;
  readonly #tally: Tally;
  readonly #bought: Bought[] = [];

  constructor(origin: string, owner: Visitor, stripe: StripeStandIn, tally: Tally) {
    this.#origin = origin;
    this.#owner = owner;
    this.#stripe = stripe;
    this.#tally = tally;
  }

  /** Buys a pack, and perhaps gives it back; Stripe tells everything twice, at once. */
  async act(random: Random): Promise<string[]> {
    const answer = await this.#owner.post('/v1/payments/checkout', { pack: pack.pack });
    if (!answer) return [];
    // as many as may go unpaid were begun and lost
    if (answer.status === 429) return [];
    if (answer.status !== 200) return [unexpected('a checkout', answer)];
    const { url } = jsonOf<{ url: string }>(answer);
    const purchase = this.#purchaseOf(url.split('/').at(-1) ?? '');
    const isRefunded = random.unit() < 0.3;
    const one: Bought = { purchase, events: [], isAnswered: false, isRefunded };
    this.#bought.push(one);
    const events = [purchase.completed(), ...(isRefunded ? [purchase.refunded(pack.amount)] : [])];
    one.events.push(...events);
    for (const event of events) {
      const answers = await Promise.all([this.#tell(event), this.#tell(event)]);
      if (answers.includes(null)) return [];
      const refused = answers.find((each) => each?.status !== 200);
      if (refused) return [unexpected(`the event ${event.type}`, refused)];
    }
    one.isAnswered = true;
    return [];
  }

  /** Tells again what was not answered, as Stripe does, and looks whether all has been booked. */
  async reconcile(): Promise<string[]> {
    const before = await this.#statuses();
    if (typeof before === 'string') return [before];
    const complaints = this.#bought
      .filter(({ isAnswered }) => isAnswered)
      .flatMap((one) => this.#judge(one, before));
    for (const one of this.#bought.filter(({ isAnswered }) => !isAnswered)) {
      for (const event of one.events) {
        const answer = await this.#tell(event);
        if (answer?.status !== 200) complaints.push(unexpected('an event told again', answer));
      }
      one.isAnswered = true;
    }
    const after = await this.#statuses();
    if (typeof after === 'string') return [...complaints, after];
    return [...complaints, ...this.#bought.flatMap((one) => this.#judge(one, after))];
  }

  #judge({ purchase, isRefunded }: Bought, statuses: ReadonlyMap<string, string>): string[] {
    const expected = isRefunded ? 'refunded' : 'paid';
    const status = statuses.get(purchase.payment.id);
    return status === expected ? [] : [`a payment that should be ${expected} is ${status}`];
  }

  async #statuses(): Promise<ReadonlyMap<string, string> | string> {
    const answer = await this.#owner.get('/v1/payments');
    if (answer?.status !== 200) return unexpected('listing payments', answer);
    const { items } = jsonOf<{ items: Payment[] }>(answer);
    return new Map(items.map(({ id, status }) => [id, status]));
  }

  #tell(event: StripeEvent): Promise<Answer | null> {
    const { body, headers } = signed(event);
    const url = `${this.#origin}/v1/payments/webhook`;
    return this.#tally.answerTo(() => fetch(url, { method: 'POST', body, headers }));
  }

  #purchaseOf(sessionId: string): Purchase {
    const ids = this.#stripe.calls.map(({ fields }) => fields['metadata[payment_id]'] ?? '');
    const id = ids.find((candidate) => this.#stripe.sessionOf(candidate) === sessionId);
    if (id === undefined) throw new Error('a session that nobody asked for');
    const open = { created_at: '', status: 'pending', receipt_url: null } as const;
    return new Purchase({ ...pack, ...open, id }, sessionId);
  }
}
