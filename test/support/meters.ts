import type { KeyLogCalls } from '../../src/key-log/key-log.ts';
import type { MeterCalls } from '../../src/meter/meter.ts';
import { quotaTerms } from '../../src/policy/quota.ts';

/** More than any test needs. */
const allowances = { maxFilesPerMinute: 1e6, unchargedPerDay: 1e6, unchargedCpuMsPerDay: 1e9 };

/** The meters of a service, which keep its quota and counts. */
export class Meters {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /** The meter of the mailbox of a user with this normalized address. */
  async of(email: string): Promise<MeterCalls> {
    return this.#named(await this.#mailboxOf(email));
  }

  /** The logs of the keys of that mailbox. */
  async logOf(email: string): Promise<KeyLogCalls> {
    const name = await this.#mailboxOf(email);
    return this.#env.KEY_LOGS.getByName(name) as unknown as KeyLogCalls;
  }

  async #mailboxOf(email: string): Promise<string> {
    const row = await this.#env.DB.prepare('SELECT mailbox_id FROM users WHERE email = ?1')
      .bind(email)
      .first<{ mailbox_id: string }>();
    if (row === null) throw new Error(`${email} is nobody.`);
    return row.mailbox_id;
  }

  /** Makes all meters write their counts to D1. */
  async flush(): Promise<void> {
    for (const meter of await this.#all()) await meter.flush();
  }

  /** Makes all meters send the mails that are due, as their alarms do. */
  async sendMails(): Promise<void> {
    for (const meter of await this.#all()) await meter.sendMails();
  }

  /** The number of requests in flight. */
  async inFlight(): Promise<number> {
    let sum = 0;
    for (const meter of await this.#all()) sum += await meter.inFlight();
    return sum;
  }

  /**
   * Uses up files of a user, with a key of which D1 keeps nothing, so that no list shows it.
   * @param isPaid uses no free files
   */
  async use(email: string, files: number, isPaid = false): Promise<void> {
    const meter = await this.of(email);
    const keyHash = `key_${crypto.randomUUID().replaceAll('-', '')}`;
    await this.#env.DB.prepare(
      `INSERT INTO api_keys (id, user_id, hash, prefix, name, created_at)
       SELECT ?1, id, ?1, '', '', 0 FROM users WHERE email = ?2`,
    )
      .bind(keyHash, email)
      .run();
    await meter.refresh(0);
    await this.#env.DB.prepare('DELETE FROM api_keys WHERE hash = ?1').bind(keyHash).run();
    const terms = quotaTerms(Date.now(), {
      ...allowances,
      freeFilesPerMonth: isPaid ? 0 : 1e6,
    });
    for (let i = 0; i < files; i += 1) {
      const id = `res_${crypto.randomUUID()}`;
      const { kind } = await meter.reserve(id, keyHash, terms);
      if (kind !== 'reserved') throw new Error(`${email}: ${kind}`);
      const answered = { bytesIn: 2, bytesOut: 1 };
      await meter.settle({
        reservationId: id,
        terms,
        answered,
        charged: true,
        file: null,
        cpuMs: 1,
        origin: 'http://localhost',
      });
    }
  }

  async #all(): Promise<MeterCalls[]> {
    const { results } = await this.#env.DB.prepare(
      'SELECT id FROM mailboxes WHERE metered_at IS NOT NULL',
    ).all<{ id: string }>();
    return results.map(({ id }) => this.#named(id));
  }

  #named(mailboxId: string): MeterCalls {
    return this.#env.METER.getByName(mailboxId) as unknown as MeterCalls;
  }
}
