import { imagesText } from '../../text/formatting.ts';
import type { KeyRecord } from '../api/wire.ts';
import { Modal } from '../parts/feedback.tsx';
import { LocalDate, Moment } from '../parts/moment.tsx';
import { requestsAddress } from './key-state.ts';

/** Facts about a revoked key. */
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
        Created <LocalDate at={created_at} /> · {imagesText(all_time_used)} in total
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

/** When a key was revoked; a replaced key is revoked at the end of its overlap. */
export function RevokedOn({ record: { revoked_at, revokes_at } }: { record: KeyRecord }) {
  const at = revoked_at ?? revokes_at;
  return at === null ? null : <LocalDate at={at} />;
}

/** The buttons at the bottom of a key's dialog: links to its requests and statistics, and closing the dialog. */
export function DialogFoot({ keyId, onClose }: { keyId: string; onClose: () => void }) {
  return (
    <p class="cluster dialog-foot">
      <a class="button quiet" href={requestsAddress(keyId)}>
        Requests
      </a>
      <a class="button quiet" href={`/cabinet/statistics?key=${encodeURIComponent(keyId)}`}>
        Statistics
      </a>
      <button class="button primary" type="button" onClick={onClose}>
        Done
      </button>
    </p>
  );
}
