import { filesText } from '../../text/formatting.ts';
import type { KeyRecord } from '../api/wire.ts';
import { Modal } from '../parts/modal.tsx';
import { LocalDate, Moment } from '../parts/moment.tsx';

/** What a revoked key was. */
export function RevokedDialog({ record, onClose }: { record: KeyRecord; onClose: () => void }) {
  return (
    <Modal title={<bdi class="whole-name">{record.name}</bdi>} onClose={onClose}>
      <p>
        <code>{record.prefix}…</code> was revoked on <RevokedOn record={record} />. Requests that
        use it are rejected.
      </p>
      <KeyFacts record={record} />
      <DialogFoot keyId={record.id} onClose={onClose} />
    </Modal>
  );
}

/** The comment and the history of a key. */
export function KeyFacts({ record }: { record: KeyRecord }) {
  const { comment, all_time_used, created_at, last_used_at } = record;
  return (
    <>
      {comment && (
        <p class="whole-name">
          <bdi>{comment}</bdi>
        </p>
      )}
      <p class="soft">
        Created <LocalDate at={created_at} /> · {filesText(all_time_used)} in total
        {last_used_at !== null && (
          <>
            {' '}
            · last used <Moment at={last_used_at} />
          </>
        )}
      </p>
    </>
  );
}

/** When a key was revoked; one that was replaced is, when its overlap is over. */
export function RevokedOn({ record: { revoked_at, revokes_at } }: { record: KeyRecord }) {
  const at = revoked_at ?? revokes_at;
  return at === null ? null : <LocalDate at={at} />;
}

/** The way from a key to its statistics, and out of its dialog. */
export function DialogFoot({ keyId, onClose }: { keyId: string; onClose: () => void }) {
  return (
    <p class="cluster dialog-foot">
      <a class="button quiet" href={`/cabinet/statistics?key=${encodeURIComponent(keyId)}`}>
        Statistics
      </a>
      <button class="button primary" type="button" onClick={onClose}>
        Done
      </button>
    </p>
  );
}
