import type { Me } from '../api/wire.ts';
import { Day } from '../parts/moment.tsx';
import { SignOut } from './sign-out.tsx';

/** Who is signed in, and the way out. */
export function AccountCard({ me }: { me: Me }) {
  return (
    <section class="card stack" aria-labelledby="account">
      <h2 id="account">Account</h2>
      <dl class="facts">
        <div>
          <dt>E-mail</dt>
          <dd>
            <bdi>{me.email}</bdi>
          </dd>
        </div>
        <div>
          <dt>Member since</dt>
          <dd>
            <Day at={me.created_at} />
          </dd>
        </div>
        <div>
          <dt>Plan</dt>
          <dd>
            <span class="badge">{me.plan === 'paid' ? 'Paid' : 'Free'}</span>
          </dd>
        </div>
      </dl>
      <SignOut />
    </section>
  );
}
