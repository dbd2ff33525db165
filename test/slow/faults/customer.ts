import type { DatabaseSync } from 'node:sqlite';
import { codeIn, Inbox } from '../../support/client.ts';
import type { Random } from '../../support/random.ts';
import type { RestartableService } from '../../support/restartable-service.ts';
import type { StripeStandIn } from '../../support/stripe.ts';
import { KeyRing } from './key-ring.ts';
import { type Answer, jsonOf, type Tally, unexpected, Visitor } from './visitor.ts';
import { Wallet } from './wallet.ts';

/** One picture that is charged, and one that is answered for nothing. */
export interface Pictures {
  readonly large: Uint8Array<ArrayBuffer>;
  readonly small: Uint8Array<ArrayBuffer>;
}

/** What a picture may be refused with: no quota is left, or too much of it is spoken for. */
const passing = new Set([402, 429]);

/** Someone who uses the service in every way at once, and remembers what was answered. */
export class Customer {
  readonly email: string;
  readonly keys: KeyRing;
  readonly wallet: Wallet;
  readonly #visitor: Visitor;
  /** Keys that stay as they are. */
  readonly #own: readonly string[];
  /** Files received whole since the books were last looked at. */
  #received = { charged: 0, free: 0 };
  #booked = { charged: 0, files: 0 };

  private constructor(
    email: string,
    visitor: Visitor,
    own: readonly string[],
    keys: KeyRing,
    wallet: Wallet,
  ) {
    this.email = email;
    this.#visitor = visitor;
    this.#own = own;
    this.keys = keys;
    this.wallet = wallet;
  }

  /** Signs in someone new. */
  static async signIn(
    name: string,
    { origin, stripe }: { origin: string; stripe: StripeStandIn },
    tally: Tally,
  ): Promise<Customer> {
    const email = `${name}@gmail.com`;
    const visitor = new Visitor(origin, tally);
    await visitor.post('/v1/auth/request-code', { email });
    const code = codeIn(await new Inbox(origin).latest(email));
    await visitor.post('/v1/auth/verify-code', { email, code });
    const wallet = new Wallet(origin, visitor.copy(), stripe, tally);
    const keys = new KeyRing(visitor.copy());
    const own = [await keys.makeSteady(), await keys.makeSteady()];
    return new Customer(email, visitor, own, keys, wallet);
  }

  /** Sends a picture. */
  async optimize({ large, small }: Pictures, random: Random): Promise<string[]> {
    const picture = random.unit() < 0.8 ? large : small;
    const key = this.#own[random.word() % this.#own.length];
    return this.#count(await this.#visitor.upload('/v1/optimize', picture, key));
  }

  #count(answer: Answer | null): string[] {
    if (!answer || passing.has(answer.status)) return [];
    if (answer.status !== 200) return [unexpected('a picture', answer)];
    if (answer.headers.get('Image-Optimized') === 'true') this.#received.charged += 1;
    else this.#received.free += 1;
    return [];
  }

  /**
   * Holds the books against what has arrived since the last time.
   * @param inFlight requests that may have been under way when the service died
   */
  audit(file: DatabaseSync, inFlight: number): string[] {
    const row = file.prepare(booksOf).get(this.email) as { charged: number; files: number };
    const charged = row.charged - this.#booked.charged;
    const files = row.files - this.#booked.files;
    const received = this.#received;
    this.#booked = { ...row };
    this.#received = { charged: 0, free: 0 };
    const all = received.charged + received.free;
    const complaints: string[] = [];
    if (charged > received.charged) complaints.push(`charged ${charged} of ${received.charged}`);
    if (received.charged - charged > inFlight)
      complaints.push(`charged only ${charged} of ${received.charged}, with ${inFlight} in flight`);
    if (files > all || all - files > inFlight) complaints.push(`counted ${files} files of ${all}`);
    return complaints.map((complaint) => `${this.email}: ${complaint}`);
  }

  /** Waits until what has been answered is in the books, and these in D1. */
  async caughtUp(): Promise<void> {
    await this.#visitor.get('/v1/statistics');
  }

  /** Files left, as the service tells, without those that are reserved. */
  async left(): Promise<number> {
    const me = await this.#visitor.get('/v1/me');
    if (me?.status !== 200) return Number.NaN;
    const told = jsonOf<{ paid_quota_remaining: number; free_quota: { remaining: number } }>(me);
    return told.paid_quota_remaining + told.free_quota.remaining;
  }

  /** How many files are reserved. */
  reserved(service: RestartableService): number {
    return this.#inMeter(
      service,
      'SELECT count(*) AS n FROM lanes WHERE reservation IS NOT NULL AND expires_at > ?2 AND user_id = ?1',
    );
  }

  /** A figure of the customer's meter; ?1 is the user, ?2 the time. */
  #inMeter({ database, meters }: RestartableService, sql: string): number {
    const user = database.open((file) =>
      file.prepare('SELECT id FROM users WHERE email = ?').get(this.email),
    );
    const id = String(user?.id);
    const isMine = (file: DatabaseSync) =>
      file.prepare('SELECT 1 FROM accounts WHERE user_id = ?').get(id) !== undefined;
    const meter = meters.find((one) => one.open(isMine));
    const row = meter?.open((file) =>
      file.prepare(`SELECT n FROM (${sql}) WHERE ?1 = ?1 AND ?2 = ?2`).get(id, Date.now()),
    );
    return Number(row?.n);
  }

  /** Compares what the service tells the customer with what is in the books. */
  async compare(service: RestartableService): Promise<string[]> {
    const me = await this.#visitor.get('/v1/me');
    const statistics = await this.#visitor.get('/v1/statistics');
    if (me?.status !== 200) return [unexpected('the account', me)];
    if (statistics?.status !== 200) return [unexpected('the statistics', statistics)];
    const told = jsonOf<{ paid_quota_remaining: number; free_quota: { used: number } }>(me);
    const { totals } = jsonOf<{ totals: Record<string, number> }>(statistics);
    const figures = { free: told.free_quota.used, paid: told.paid_quota_remaining, ...totals };
    const books = {
      ...service.database.open((file) => file.prepare(figuresOf).get(this.email)),
      paid: this.#inMeter(service, paidOf),
    };
    const differs = Object.entries(books).some(
      ([name, value]) => figures[name as keyof typeof figures] !== value,
    );
    if (!differs) return [];
    return [`${this.email} is told ${JSON.stringify(figures)}, not ${JSON.stringify(books)}`];
  }

  /** What is left after one more picture, as the answer has it; null: nothing was. */
  async remainingAfter(picture: Uint8Array<ArrayBuffer>): Promise<number | null> {
    const answer = await this.#visitor.upload('/v1/optimize', picture, this.#own[0]);
    this.#count(answer);
    await this.caughtUp();
    return answer?.status === 200 ? Number(answer.headers.get('Quota-Remaining')) : null;
  }
}

const booksOf = `
  SELECT m.free_used + u.paid_used AS charged,
         (SELECT coalesce(sum(files), 0) FROM usage_days WHERE user_id = u.id) AS files
  FROM users u JOIN mailboxes m ON m.id = u.mailbox_id WHERE u.email = ?1`;

const figuresOf = `
  SELECT m.free_used AS free,
         coalesce(sum(d.files), 0) AS files, coalesce(sum(d.bytes_in), 0) AS bytes_in,
         coalesce(sum(d.bytes_out), 0) AS bytes_out, coalesce(sum(d.bytes_saved), 0) AS bytes_saved
  FROM users u JOIN mailboxes m ON m.id = u.mailbox_id LEFT JOIN usage_days d ON d.user_id = u.id
  WHERE u.email = ?1`;

const paidOf = `
  SELECT credited - used - (SELECT coalesce(sum(paid), 0) FROM lanes WHERE user_id = ?1) AS n
  FROM accounts WHERE user_id = ?1`;
