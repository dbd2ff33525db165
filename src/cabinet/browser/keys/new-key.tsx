import { useLayoutEffect, useRef } from 'preact/hooks';
import type { KeyRecord } from '../api/wire.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { SnippetTabs } from '../parts/snippet-tabs.tsx';

/** A key that was just made, and how to use it right away. */
export function NewKey({
  record,
  replaced,
  onClose,
}: {
  record: KeyRecord;
  /** The key in whose place it is. */
  replaced: KeyRecord | null;
  onClose: () => void;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  const { key, name, prefix } = record;
  return (
    <section class="card stack new-key" aria-labelledby="new-key">
      <h2 id="new-key" tabIndex={-1} ref={heading}>
        Your new key: <bdi class="key-name">{name}</bdi>
      </h2>
      {replaced && (
        <p>
          The old one, <code>{replaced.prefix}…</code>, does not work any more: put this in its
          place.
        </p>
      )}
      {key === undefined ? (
        <p>
          It begins with <code>{prefix}</code>, and could not be kept: reissue it to get another.
        </p>
      ) : (
        <>
          <CodeBlock name="API key" code={key} />
          <p class="notice">
            Keep it on your servers. In a web page or an app anyone can read it, and use up your
            files. You find it again in the list below.
          </p>
          <h3>Make a first picture smaller</h3>
          <p>
            Run this beside a picture named <code>photo.jpg</code>: the smaller one is{' '}
            <code>smaller.jpg</code>.
          </p>
          <SnippetTabs apiKey={key} />
        </>
      )}
      <p class="cluster">
        <button class="button" type="button" onClick={onClose}>
          Done
        </button>
        <a class="button quiet" href="/cabinet/statistics">
          See what it has saved
        </a>
      </p>
    </section>
  );
}
