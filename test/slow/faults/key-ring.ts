import type { KeyRecord } from '../../../src/cabinet/browser/api/wire.ts';
import type { Random } from '../../support/random.ts';
import { jsonOf, unexpected, type Visitor } from './visitor.ts';

/** A key, and those that took its place: they go by one name. */
interface Lineage {
  readonly name: string;
  /** The last one that was told of; null: not even the first. */
  last: { readonly id: string; readonly key: string } | null;
  /** What was asked for, and not answered when the service died. */
  pending: 'creation' | 'revocation' | 'reissue' | null;
  isRevoked: boolean;
  /** Nothing is done to it. */
  isSteady: boolean;
  /** Keys that must never work again. */
  readonly ended: string[];
}

/** Active keys that are enough; more than these are not made. */
const enough = 8;

/** One customer's keys, and what was answered about them. */
export class KeyRing {
  readonly #owner: Visitor;
  readonly #lineages: Lineage[] = [];

  constructor(owner: Visitor) {
    this.#owner = owner;
  }

  /** Makes a key that stays as it is. */
  async makeSteady(): Promise<string> {
    const complaints = await this.#create();
    const made = this.#lineages.at(-1);
    if (!made?.last || complaints.length > 0) throw new Error(complaints.join());
    made.isSteady = true;
    return made.last.key;
  }

  /** Makes, reissues or revokes a key. */
  async act(random: Random): Promise<string[]> {
    const usable = this.#lineages.filter(
      (one) => one.last && !one.isSteady && !one.isRevoked && !one.pending,
    );
    const one = usable[random.word() % Math.max(1, usable.length)];
    if (!one?.last || usable.length < 2) return this.#create();
    if (usable.length < enough && random.unit() < 0.4) return this.#create();
    return random.unit() < 0.6 ? this.#reissue(one, one.last) : this.#revoke(one, one.last);
  }

  async #create(): Promise<string[]> {
    const name = `key ${this.#lineages.length}`;
    const one: Lineage = {
      name,
      last: null,
      pending: 'creation',
      isRevoked: false,
      isSteady: false,
      ended: [],
    };
    this.#lineages.push(one);
    const answer = await this.#owner.post('/v1/keys', { name });
    if (!answer) return [];
    if (answer.status !== 201) return [unexpected('making a key', answer)];
    one.last = held(jsonOf<KeyRecord>(answer));
    one.pending = null;
    return [];
  }

  async #reissue(one: Lineage, { id, key }: { id: string; key: string }): Promise<string[]> {
    one.pending = 'reissue';
    const answer = await this.#owner.post(`/v1/keys/${id}/reissue`);
    if (!answer) return [];
    if (answer.status !== 201) return [unexpected('reissuing a key', answer)];
    one.ended.push(key);
    one.last = held(jsonOf<KeyRecord>(answer));
    one.pending = null;
    return [];
  }

  async #revoke(one: Lineage, { id, key }: { id: string; key: string }): Promise<string[]> {
    one.pending = 'revocation';
    const answer = await this.#owner.post(`/v1/keys/${id}/revoke`);
    if (!answer) return [];
    if (answer.status !== 200) return [unexpected('revoking a key', answer)];
    one.ended.push(key);
    one.isRevoked = true;
    one.pending = null;
    return [];
  }

  /** Holds what was answered against what is there, and goes on from that. */
  async reconcile(): Promise<string[]> {
    const answer = await this.#owner.get('/v1/keys');
    if (answer?.status !== 200) return [unexpected('listing keys', answer)];
    const { items } = jsonOf<{ items: KeyRecord[] }>(answer);
    const complaints: string[] = [];
    for (const one of this.#lineages) {
      const records = items.filter(({ name }) => name === one.name);
      complaints.push(...this.#settle(one, records));
    }
    const names = new Set(this.#lineages.map(({ name }) => name));
    for (const { name } of items) if (!names.has(name)) complaints.push(`nobody made "${name}"`);
    return [...complaints, ...(await this.#tryAll())];
  }

  #settle(one: Lineage, records: readonly KeyRecord[]): string[] {
    const [active, ...more] = records.filter(({ status }) => status === 'active');
    const { pending, last } = one;
    const known = last?.id;
    one.pending = null;
    if (more.length > 0) return [`${one.name}: ${more.length + 1} active keys`];
    if (active === undefined) {
      if (pending === 'creation' && records.length === 0) one.isRevoked = true;
      else if (pending === 'revocation' && last) one.ended.push(last.key);
      else if (!one.isRevoked) return [`${one.name}: no key is left of it`];
      one.isRevoked = true;
      return [];
    }
    if (one.isRevoked) return [`${one.name}: was revoked, and is active`];
    if (active.id !== known) {
      if (pending !== 'reissue' && pending !== 'creation')
        return [`${one.name}: another key is active than was answered`];
      if (last) one.ended.push(last.key);
      one.last = held(active);
    }
    return [];
  }

  /** Shows every key that matters at the door. */
  async #tryAll(): Promise<string[]> {
    const cases = this.#lineages.flatMap(({ last, isRevoked, ended }) => [
      ...(last && !isRevoked ? [{ key: last.key, status: 200 }] : []),
      // the last ones: there is a limit to failures
      ...ended.slice(-2).map((key) => ({ key, status: 401 })),
    ]);
    const answers = cases.map(async ({ key, status }) => {
      const answer = await this.#owner.copy().get('/v1/quota', { Authorization: `Bearer ${key}` });
      return answer?.status === status
        ? []
        : [unexpected(`a key that should be ${status}`, answer)];
    });
    return (await Promise.all(answers)).flat();
  }
}

function held({ id, key }: KeyRecord): { id: string; key: string } {
  if (key === undefined) throw new Error('a record without its key');
  return { id, key };
}
