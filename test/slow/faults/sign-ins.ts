import { codeIn, Inbox } from '../../support/client.ts';
import type { Random } from '../../support/random.ts';
import { type Tally, unexpected, Visitor } from './visitor.ts';

interface SignedIn {
  readonly visitor: Visitor;
  readonly email: string;
  readonly code: string;
  /** `unknown`: the service died over it. */
  state: 'open' | 'ended' | 'unknown-opening' | 'unknown-ending';
}

/** People who sign in for the first time, and what was answered to them. */
export class SignIns {
  readonly #origin: string;
  readonly #tally: Tally;
  readonly #inbox: Inbox;
  readonly #all: SignedIn[] = [];
  #people = 0;

  constructor(origin: string, tally: Tally) {
    this.#origin = origin;
    this.#tally = tally;
    this.#inbox = new Inbox(origin);
  }

  /** Someone new signs in, with the same code twice at once, and perhaps out. */
  async act(random: Random): Promise<string[]> {
    this.#people += 1;
    const email = `someone.${this.#people}@gmail.com`;
    const visitor = new Visitor(this.#origin, this.#tally);
    const requested = await visitor.post('/v1/auth/request-code', { email });
    if (!requested) return [];
    if (requested.status !== 200) return [unexpected('asking for a code', requested)];
    const mail = await this.#inbox.latest(email).catch(() => null);
    if (!mail) return []; // it was lost with the service
    const code = codeIn(mail);
    const one: SignedIn = { visitor, email, code, state: 'unknown-opening' };
    this.#all.push(one);
    const other = visitor.copy();
    const answers = await Promise.all([verify(visitor, one), verify(other, one)]);
    const successes = answers.filter((answer) => answer?.status === 200).length;
    if (successes > 1) return ['a code has worked twice'];
    if (answers.includes(null)) return [];
    const refused = answers.find((answer) => answer?.status !== 200 && answer?.status !== 401);
    if (refused || successes === 0)
      return [unexpected('a right code', refused ?? answers[0] ?? null)];
    // the session is that of the one who came first
    if (answers[0]?.status === 401) one.state = 'ended';
    else one.state = 'open';
    if (one.state === 'open' && random.unit() < 0.4) return this.#signOut(one);
    return [];
  }

  async #signOut(one: SignedIn): Promise<string[]> {
    // the cookie is to be seen refused, and the answer takes it away
    const leaving = one.visitor.copy();
    one.state = 'unknown-ending';
    const answer = await leaving.post('/v1/auth/logout');
    if (!answer) return [];
    if (answer.status !== 200) return [unexpected('signing out', answer)];
    one.state = 'ended';
    return [];
  }

  /** Every session that was answered works or has been ended, and no code works again. */
  async reconcile(): Promise<string[]> {
    const complaints = await Promise.all(this.#all.splice(0).map((one) => this.#check(one)));
    return complaints.flat();
  }

  async #check(one: SignedIn): Promise<string[]> {
    if (one.state === 'unknown-opening') {
      const late = await verify(new Visitor(this.#origin, this.#tally), one);
      if (late?.status !== 200 && late?.status !== 401)
        return [unexpected('a code after the restart', late)];
    } else {
      const expected = { open: [200], ended: [401], 'unknown-ending': [200, 401] }[one.state];
      const me = await one.visitor.get('/v1/me');
      if (!me || !expected.includes(me.status))
        return [unexpected(`a session that is ${one.state}`, me)];
    }
    const again = await verify(one.visitor.copy(), one);
    return again?.status === 401 ? [] : [unexpected('a code that was used', again)];
  }
}

function verify(visitor: Visitor, { email, code }: SignedIn) {
  return visitor.post('/v1/auth/verify-code', { email, code });
}
