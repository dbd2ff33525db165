import { render } from 'preact';
import { countText, sizeChangeText } from '../../text/formatting.ts';
import { download } from './blob-url.ts';
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
  container.removeAttribute('aria-busy');
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
        <>
          <Payoff result={result} onSaved={() => store.markSaved([shown.id])} />
          <div class="trial-stage">
            <Stage file={shown.file} result={result} scrollsPage />
          </div>
        </>
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

/** What came of the last image, and the image itself. */
function Payoff({ result, onSaved }: { result: Result; onSaved: () => void }) {
  const { blob, fileName, bytesBefore, bytesAfter, isSmaller } = result;
  const smaller = Math.round(100 * (1 - bytesAfter / bytesBefore));
  return (
    <p class="payoff" tabIndex={-1} ref={focused}>
      <strong>{isSmaller ? `${smaller}% smaller` : 'No smaller'}</strong>
      <span>{sizeChangeText(bytesBefore, bytesAfter)}</span>
      <button
        class="button primary"
        type="button"
        onClick={() => {
          download(blob, fileName);
          onSaved();
        }}
      >
        Download
      </button>
    </p>
  );
}

/** What had the focus is gone. */
function focused(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true });
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
      {/* in a new tab, so that the images stay here */}
      <a class="button" href="/sign-in" target="_blank" rel="noreferrer">
        Get a free account
      </a>
    </p>
  );
}
