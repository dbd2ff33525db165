import { useId, useState } from 'preact/hooks';
import { useAction } from '../api/call.ts';
import type { Me } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';

/** The switch for quota emails. It moves at once, and moves back if the service refuses the change. */
export function QuotaMails({ isOn, onChanged }: { isOn: boolean; onChanged: (me: Me) => void }) {
  const { isBusy, failure, run } = useAction();
  const [wanted, setWanted] = useState<boolean | null>(null);
  const id = useId();

  async function change(next: boolean) {
    setWanted(next);
    const me = await run<Me>('PATCH', '/v1/me', { quota_mails: next });
    if (me) onChanged(me);
    setWanted(null);
  }

  return (
    <section class="card stack" aria-labelledby={id}>
      <h2 id={id}>Email notifications</h2>
      <label class="switch-line">
        <span>
          Email me when files run low
          <span class="hint" id={`${id}-hint`}>
            At 80% and 100% of the month’s free files, and near the end of a pack.
          </span>
        </span>
        <input
          type="checkbox"
          role="switch"
          class="switch"
          aria-describedby={`${id}-hint`}
          checked={wanted ?? isOn}
          aria-checked={wanted ?? isOn}
          aria-busy={isBusy}
          onClick={(event) => {
            // The state follows `checked`, which is set from the response.
            event.preventDefault();
            if (!isBusy) void change(!isOn);
          }}
        />
      </label>
      <FailureNotice failure={failure} />
    </section>
  );
}
