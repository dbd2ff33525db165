import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { KeyRecord } from '../api/wire.ts';
import { selectTextOf } from '../copy-text.ts';
import { CopyButton } from '../parts/copy-button.tsx';

/** The key of a record: its beginning, or all of it on demand. */
export function KeySecret({ record }: { record: KeyRecord }) {
  const [isShown, setShown] = useState(false);
  /** How often it could not be copied, and was to be selected instead. */
  const [refusals, setRefusals] = useState(0);
  const code = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (refusals > 0 && code.current) selectTextOf(code.current);
  }, [refusals]);
  const { key, name, prefix } = record;
  if (key === undefined) {
    return (
      <div class="key-secret">
        <code>{prefix}…</code>
        <p class="soft">
          Only the beginning of this key is kept, so it cannot be shown. It works all the same.
          Reissue gives you one that can be looked up.
        </p>
      </div>
    );
  }
  return (
    <div class="key-secret">
      <code ref={code}>
        {isShown ? key : prefix}
        {!isShown && <span aria-hidden="true">••••••••••••</span>}
      </code>
      <span class="cluster">
        <button class="button small" type="button" onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Reveal'}
          <span class="visually-hidden"> {name}</span>
        </button>
        <CopyButton
          text={key}
          subject={name}
          onRefused={() => {
            setShown(true);
            setRefusals(refusals + 1);
          }}
        />
      </span>
    </div>
  );
}
