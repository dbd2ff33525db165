import { useState } from 'preact/hooks';
import type { KeyRecord } from '../api/wire.ts';
import { SnippetTabs } from '../parts/code-block.tsx';
import { Modal } from '../parts/feedback.tsx';
import { LocalTime } from '../parts/moment.tsx';
import { Secret } from '../parts/secret.tsx';
import { isNew } from './first-image.ts';
import { FirstImageNotice } from './first-image-notice.tsx';
import { DialogFoot, KeyFacts } from './key-facts.tsx';
import { prefixLength } from './key-list.ts';

/** Facts about a key that was just created. */
export interface FreshKey {
  readonly replaced: KeyRecord | null;
}

/** Shows a key and code that uses it. */
export function CodeDialog({
  record,
  fresh,
  isRevealed = false,
  onArrived,
  onRotate,
  onClose,
}: {
  record: KeyRecord;
  /** Null if the key is not new. */
  fresh: FreshKey | null;
  /** Whether the key is revealed and selected from the start, to be copied by hand. */
  isRevealed?: boolean;
  /** Called when the first image of the key has arrived. */
  onArrived: () => void;
  onRotate: () => void;
  onClose: () => void;
}) {
  const { id, key, name } = record;
  // Kept as state, so that it stays true after the first image has updated the record.
  const [isUnused] = useState(record.all_time_used === 0);
  const [isAwaited] = useState(() => fresh !== null || isNew(record, Date.now()));
  const [isShown, setShown] = useState(isRevealed || fresh !== null);
  return (
    <Modal
      kind="code-dialog"
      title={
        <>
          {fresh && 'Your new key: '}
          <bdi class="whole-name">{name}</bdi>
        </>
      }
      onClose={onClose}
    >
      {key === undefined ? (
        <>
          <NoSecret record={record} onRotate={onRotate} />
          <KeyFacts record={record} />
        </>
      ) : (
        <>
          <Secret
            subject="API key"
            value={key}
            publicLength={prefixLength}
            isShown={isShown}
            isSelected={isRevealed}
            onShow={setShown}
          />
          {fresh ? <FreshKeyText {...fresh} /> : <KeyFacts record={record} />}
          <h3>Optimize an image</h3>
          <p>
            Run this in a folder with a <code>photo.jpg</code>. The result is saved as{' '}
            <code>smaller.jpg</code>.
          </p>
          <SnippetTabs apiKey={key} mask={isShown ? null : maskOf(key)} />
          {isUnused && isAwaited && <FirstImageNotice keyId={id} onArrived={onArrived} />}
          {isUnused && !isAwaited && <p class="soft">No images with this key yet.</p>}
        </>
      )}
      <DialogFoot keyId={id} onClose={onClose} />
    </Modal>
  );
}

function FreshKeyText({ replaced }: FreshKey) {
  return (
    <>
      {replaced && (
        <p>
          Put it on your servers in place of <code>{replaced.prefix}…</code>,{' '}
          {replaced.revokes_at === null ? (
            'which no longer works.'
          ) : (
            <>
              which works until <LocalTime at={replaced.revokes_at} />.
            </>
          )}
        </p>
      )}
      <p class="soft">
        Keep it on your servers: in a web page or an app, anyone could read it and use up your
        files. You can look it up here at any time.
      </p>
    </>
  );
}

/** The placeholder for a hidden key in code. */
function maskOf(key: string): string {
  return `${key.slice(0, prefixLength)}${'•'.repeat(12)}`;
}

function NoSecret({ record, onRotate }: { record: KeyRecord; onRotate: () => void }) {
  return (
    <div class="notice stack">
      <p>
        This key works, but only its beginning, <code>{record.prefix}</code>, is stored, so it can’t
        be shown.
        {record.revokes_at === null && ' Rotate it to get one that you can look up here.'}
      </p>
      {record.revokes_at === null && (
        <p>
          <button class="button small" type="button" onClick={onRotate}>
            Rotate…
          </button>
        </p>
      )}
    </div>
  );
}
