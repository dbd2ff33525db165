import type { ComponentChildren } from 'preact';
import type { KeyRecord } from '../api/wire.ts';
import { firstStep } from './first-steps.ts';

/** The way from an empty cabinet to the first picture, as long as it lies ahead. */
export function FirstPicture({ keys }: { keys: readonly KeyRecord[] }) {
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
