import '../../design/profile.css';
import { useLoaded } from '../api/use-loaded.ts';
import type { KeyRecord, List, Me } from '../api/wire.ts';
import { Loading } from '../parts/loading.tsx';
import { AccountCard } from './account-card.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { FirstPicture } from './first-picture.tsx';
import { QuotaCard } from './quota-card.tsx';
import { shortageText } from './quota-words.ts';

/** The account, what is left of its files, and the first steps for those who are new. */
export function ProfilePage() {
  const account = useLoaded<Me>('/v1/me');
  const keys = useLoaded<List<KeyRecord>>('/v1/keys');
  // what stands above the rest comes with it, so that nothing jumps
  const isWaiting = [account, keys].every(({ failure }) => failure === null) && keys.body === null;
  return (
    <div class="stack profile">
      <h1>Profile</h1>
      <Loading loaded={isWaiting ? { ...account, body: null, isLoading: true } : account}>
        {(me) => (
          <>
            <Shortage text={shortageText(me)} />
            <Loading loaded={keys}>{({ items }) => <FirstPicture keys={items} />}</Loading>
            <div class="profile-cards">
              <QuotaCard quota={me} />
              <AccountCard me={me} />
            </div>
            <DeleteAccount me={me} />
          </>
        )}
      </Loading>
    </div>
  );
}

function Shortage({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p class="notice warn">
      {text} <a href="/cabinet/payment">Buy more</a>, so that your pictures do not have to wait.
    </p>
  );
}
