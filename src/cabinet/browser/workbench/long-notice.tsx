import { durationText } from './pace.ts';
import type { Long } from './queue.ts';

/** Says that work would take long here, before it begins. */
export function LongNotice({
  long: { seconds, isForApi },
  label = '',
  onInsist,
  onCancel,
}: {
  long: Long;
  /** The image’s name, where several images ask. */
  label?: string;
  onInsist: () => void;
  onCancel: () => void;
}) {
  return (
    <div class="notice warn stack">
      <p>
        This will take {durationText(seconds)} on this device.
        {isForApi && (
          <>
            {' '}
            The <a href="/docs/api">API</a> can do it on our side.
          </>
        )}
      </p>
      <p class="cluster">
        <button class="button small" type="button" onClick={onInsist}>
          Do it here<span class="visually-hidden"> {label}</span>
        </button>
        <button class="button small quiet" type="button" onClick={onCancel}>
          Cancel<span class="visually-hidden"> {label}</span>
        </button>
      </p>
    </div>
  );
}
