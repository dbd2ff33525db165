import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { KeyRecord, Quota } from '../api/wire.ts';
import { selectTextOf } from '../parts/clipboard.ts';
import { CopyButton, SnippetTabs } from '../parts/code-block.tsx';
import { isSelling } from '../parts/page-facts.ts';
import type { NextStep } from './next-step.ts';
import { resetDay } from './quota-words.ts';

/** What to do next: optimize a first image, get more files, or explore further features. */
export function NextStepCard({
  step,
  quota,
  isStart = false,
  isAlone = false,
}: {
  step: NextStep;
  quota: Quota;
  /** Whether everything else is still empty. */
  isStart?: boolean;
  /** Whether the card has its row to itself. */
  isAlone?: boolean;
}) {
  const kind = isStart ? 'start' : step.kind;
  return (
    <section
      class={`card next-step ${kind} ${isAlone ? 'whole-row' : ''}`}
      aria-labelledby="next-step"
    >
      {step.kind === 'create-key' && <CreateKey />}
      {step.kind === 'first-call' && <FirstCall record={step.key} />}
      {step.kind === 'used-up' && <UsedUp text={step.text} />}
      {step.kind === 'low-quota' && <LowQuota text={step.text} quota={quota} />}
      {step.kind === 'runs-out' && <RunsOut text={step.text} />}
      {step.kind === 'explore' && <Explore />}
    </section>
  );
}

function Heading({ children }: { children: ComponentChildren }) {
  return <h2 id="next-step">{children}</h2>;
}

function CreateKey() {
  return (
    <>
      <Heading>Optimize your first image</Heading>
      <ol class="steps">
        <li>Create an API key. All it takes is a name.</li>
        <li>Copy the code you get with it, and run it on your server.</li>
        <li>Come back to see what you’ve saved.</li>
      </ol>
      <p class="cluster">
        <a class="button primary" href="/cabinet/keys">
          Create an API key
        </a>
        <a class="button" href="/cabinet/try">
          Try an image first
        </a>
      </p>
    </>
  );
}

function FirstCall({ record: { name, prefix, key } }: { record: KeyRecord }) {
  const shownKey = useRef<HTMLElement>(null);
  return (
    <>
      <Heading>Optimize your first image</Heading>
      <p>
        Set the environment variable <code>KEY</code> to your key, and run this in a folder with an
        image named <code>photo.jpg</code>.
      </p>
      <p class="cluster own-key">
        <span>
          Your key <bdi class="key-name">{name}</bdi>: <code ref={shownKey}>{prefix}…</code>
        </span>
        {key === undefined ? (
          <a href="/cabinet/keys">Go to keys</a>
        ) : (
          <CopyButton
            text={key}
            subject={`key ${name}`}
            onRefused={() => shownKey.current && selectTextOf(shownKey.current)}
          />
        )}
      </p>
      <SnippetTabs apiKey={null} />
    </>
  );
}

function UsedUp({ text }: { text: string }) {
  return (
    <>
      <Heading>{text}</Heading>
      <p>API calls get error 402 until then.</p>
      {isSelling() && <BuyFiles />}
    </>
  );
}

function RunsOut({ text }: { text: string }) {
  return (
    <>
      <Heading>{text}</Heading>
      <p>
        {isSelling()
          ? 'Buy a pack to keep going. Packs never expire.'
          : 'Limit the keys that can wait, so that the others keep working.'}
      </p>
      {isSelling() ? (
        <BuyFiles />
      ) : (
        <p>
          <a class="button" href="/cabinet/keys">
            Give a key a limit
          </a>
        </p>
      )}
    </>
  );
}

function BuyFiles() {
  return (
    <p>
      <a class="button primary" href="/cabinet/payment">
        Buy files
      </a>
    </p>
  );
}

function LowQuota({ text, quota }: { text: string; quota: Quota }) {
  return (
    <>
      <Heading>{text}</Heading>
      <p>
        {isSelling()
          ? `Buy a pack to keep going, or wait for new free files on ${resetDay(quota)}. Packs never expire.`
          : `New free files arrive on ${resetDay(quota)}. Calls that need a file get an error once there’s none left.`}
      </p>
      {isSelling() && <BuyFiles />}
    </>
  );
}

function Explore() {
  return (
    <>
      <Heading>Get more out of it</Heading>
      <ul class="suggestions">
        <li>
          <a href="/cabinet/try">Compare formats on your own images</a>
          <span class="soft">See JPEG, PNG, WebP and AVIF side by side before you choose.</span>
        </li>
        <li>
          <a href="/docs/options">Resize and convert in the same call</a>
          <span class="soft">All options of the API, with examples.</span>
        </li>
        <li>
          <a href="/cabinet/keys">Give a key a limit</a>
          <span class="soft">Cap its files per month, or let it expire on a day you choose.</span>
        </li>
      </ul>
    </>
  );
}
