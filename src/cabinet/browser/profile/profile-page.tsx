import '../../design/profile.css';
import type { ComponentChildren } from 'preact';
import { countText, filesText } from '../../text/formatting.ts';
import { useLoaded } from '../api/call.ts';
import type { KeyRecord, List, Me, Quota } from '../api/wire.ts';
import { Loading } from '../parts/feedback.tsx';
import { AccountCard, DeleteAccount } from './account.tsx';
import { firstStep, lowQuotaText, quotaReset } from './words.ts';

/** The start page: account, remaining files, and first steps for new users. */
export function ProfilePage() {
  const account = useLoaded<Me>('/v1/me');
  const keys = useLoaded<List<KeyRecord>>('/v1/keys');
  // wait for the first steps, which are shown above the account, to avoid a layout shift
  const isWaiting = [account, keys].every(({ failure }) => failure === null) && keys.body === null;
  return (
    <div class="stack profile">
      <h1>Profile</h1>
      <Loading loaded={isWaiting ? { ...account, body: null, isLoading: true } : account}>
        {(me) => (
          <>
            <LowQuotaNotice text={lowQuotaText(me)} />
            <Loading loaded={keys}>{({ items }) => <FirstImage keys={items} />}</Loading>
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

function LowQuotaNotice({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p class="notice warn">
      {text} <a href="/cabinet/payment">Buy more</a> to keep optimizing.
    </p>
  );
}

/** The steps to a first optimized image. Hidden once an image has been optimized. */
function FirstImage({ keys }: { keys: readonly KeyRecord[] }) {
  const next = firstStep(keys);
  if (next === null) return null;
  const hasKey = next === 'send-image';
  return (
    <section class="card stack first-image" aria-labelledby="first-image">
      <h2 id="first-image">Optimize your first image in three steps</h2>
      <ol class="steps">
        <Step title="Create a key" isDone={hasKey}>
          Your server sends it with every image.
          {!hasKey && (
            <a class="button primary" href="/cabinet/keys">
              Create a key
            </a>
          )}
        </Step>
        <Step title="Copy a snippet and run it">
          You’ll find it below your new key, ready to run: curl, Node, Python or PHP.
          {hasKey && (
            <a class="button primary" href="/cabinet/keys">
              Go to your keys
            </a>
          )}
        </Step>
        <Step title="See what you’ve saved">
          <span>
            <a href="/cabinet/statistics">Statistics</a> show every file and every byte.
          </span>
        </Step>
      </ol>
      <p class="soft">
        Just curious? <a href="/cabinet/try">Try it here</a> with one of your own images.
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

/** The remaining free and paid files. */
function QuotaCard({ quota }: { quota: Quota }) {
  const { limit, used, remaining, resets_at } = quota.free_quota;
  const reset = quotaReset(resets_at, Date.now());
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
          {countText(used)} of {countText(limit)} used. Resets {reset.distance}, on{' '}
          <time dateTime={resets_at}>{reset.utc}</time>
          {reset.local && ` (${reset.local} your time)`}.
        </p>
      </div>
      <div class="quota">
        <div class="cluster apart">
          <span class="label">Paid</span>
          <span class="figure">{filesText(paid)} left</span>
        </div>
        <p class="soft">
          Paid files are used once this month’s free files run out. They never expire.
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
