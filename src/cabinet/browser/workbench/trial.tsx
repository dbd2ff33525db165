import { render } from 'preact';
import { countText } from '../../text/formatting.ts';
import { chosen } from './chosen-files.ts';
import type { Result } from './result.ts';
import { Stage } from './stage.tsx';
import { UploadStore } from './upload-store.ts';
import { sendTo, useUploads } from './use-uploads.ts';
import { Workbench } from './workbench.tsx';

/** What visitors are told: facts of this deployment, as the page states them. */
interface Offer {
  readonly freeFiles: number;
  readonly maxMiB: number;
}

/** Opens the workbench for a visitor without an account, in the place of the drop zone. */
export function startTrial(container: HTMLElement, files: Iterable<File>, offer: Offer): void {
  const store = new UploadStore(sendTo('/v1/try'), offer.maxMiB);
  store.add(chosen(files));
  container.replaceChildren();
  render(<Trial store={store} offer={offer} />, container);
}

function Trial({ store, offer }: { store: UploadStore; offer: Offer }) {
  useUploads(store);
  const { uploads } = store.queue;
  const shown = uploads.findLast(({ state }) => state.kind === 'done');
  const result = shown?.state.kind === 'done' ? shown.state.result : null;
  return (
    <div class="stack trial">
      {shown && result && (
        <div class="trial-stage">
          <Stage file={shown.file} result={result} />
        </div>
      )}
      <Workbench
        store={store}
        onResume={() => {}}
        note={<Left result={result} />}
        haltAction={({ code }) => code === 'trial_limit_reached' && <Invitation offer={offer} />}
      />
      {result?.isSmaller && <Invitation offer={offer} />}
    </div>
  );
}

function Left({ result }: { result: Result | null }) {
  const left = result?.trialRemaining ?? null;
  return (
    <>
      {left !== null && `${countText(left)} more today without an account. `}
      Images are never stored.
    </>
  );
}

function Invitation({ offer: { freeFiles } }: { offer: Offer }) {
  return (
    <p class="cluster invitation">
      <span>{countText(freeFiles)} images a month are free with an account, larger ones too.</span>
      <a class="button primary" href="/sign-in">
        Get a free account
      </a>
    </p>
  );
}
