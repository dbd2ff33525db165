import '../../design/profile.css';
import type { ComponentChildren } from 'preact';
import { countText, filesText } from '../../text/formatting.ts';
import { useLoaded } from '../api/call.ts';
import type { KeyRecord, List, Me, Quota } from '../api/wire.ts';
import { Loading } from '../parts/feedback.tsx';
import { AccountCard, DeleteAccount } from './account.tsx';
import { firstStep, resetWords, shortageText } from './words.ts';

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

/** The way from an empty cabinet to the first picture, as long as it lies ahead. */
function FirstPicture({ keys }: { keys: readonly KeyRecord[] }) {
  const next = firstStep(keys);
  if (next === null) return null;
  const hasKey = next === 'send-picture';
  return (
    <section class="card stack first-picture" aria-labelledby="first-picture">
      <h2 id="first-picture">Your first picture, in three steps</h2>
      <ol class="steps">
        <Step title="Make a key" isDone={hasKey}>
          Your server shows it with every picture that it sends.
          {!hasKey && (
            <a class="button primary" href="/cabinet/keys">
              Make a key
            </a>
          )}
        </Step>
        <Step title="Copy one line and run it">
          It stands below your new key, ready to run: with curl, or in Node, Python or PHP.
          {hasKey && (
            <a class="button primary" href="/cabinet/keys">
              Go to your keys
            </a>
          )}
        </Step>
        <Step title="See what it has saved">
          <span>
            <a href="/cabinet/statistics">Statistics</a> count every file and every byte.
          </span>
        </Step>
      </ol>
      <p class="soft">
        Just curious? <a href="/cabinet/try">Try it here</a> with a picture from your computer.
      </p>
    </section>
  );
}

function Step({
  title,
  isDone = false,
  children,
}: {
  title: string;
  isDone?: boolean;
  children: ComponentChildren;
}) {
  return (
    <li class={isDone ? 'done' : undefined}>
      <h3>
        {title}
        {isDone && <span class="badge">Done</span>}
      </h3>
      <div class="step-text">{children}</div>
    </li>
  );
}

/** What is left of the free and the paid files. */
function QuotaCard({ quota }: { quota: Quota }) {
  const { limit, used, remaining, resets_at } = quota.free_quota;
  const reset = resetWords(resets_at, Date.now());
  const paid = quota.paid_quota_remaining;
  return (
    <section class="card stack" aria-labelledby="files">
      <h2 id="files">Files</h2>
      <div class="quota">
        <div class="cluster apart">
          <label for="free-quota">Free this month</label>
          <span class="figure">{filesText(remaining)} left</span>
        </div>
        <progress class="bar" id="free-quota" max={Math.max(1, limit)} value={used} />
        <p class="soft">
          {countText(used)} of {countText(limit)} used. They start anew {reset.distance}, on{' '}
          <time dateTime={resets_at}>{reset.exactly}</time>
          {reset.here && ` (${reset.here} where you are)`}.
        </p>
      </div>
      <div class="quota">
        <div class="cluster apart">
          <span class="label">Paid</span>
          <span class="figure">{filesText(paid)} left</span>
        </div>
        <p class="soft">
          {paid > 0
            ? 'They are used once the free ones of the month are gone, and do not expire.'
            : 'Bought files are used once the free ones of the month are gone. They do not expire.'}
        </p>
      </div>
      <p>
        <a class="button" href="/cabinet/payment">
          Buy files
        </a>
      </p>
    </section>
  );
}
