import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { countText, sizeChangeText, sizeText } from '../../text/formatting.ts';
import { workbench, workbenchInvitation } from '../../text/interface.ts';
import { HumanCheckField, needsHumanCheck, useHumanCheck } from '../parts/human-check.tsx';
import { download, useBlobUrl } from './blob-url.ts';
import { chosen } from './chosen-files.ts';
import type { Upload } from './queue.ts';
import type { Result } from './result.ts';
import { Stage } from './stage.tsx';
import { TokenLine } from './token-line.ts';
import { UploadStore } from './upload-store.ts';
import { sendChecked, sendTo, useUploads } from './use-uploads.ts';
import { Workbench } from './workbench.tsx';

/** Facts of this deployment that the page states for visitors. */
interface Offer {
  /** Images that may be tried per day. */
  readonly images: number;
  readonly freeFiles: number;
  readonly maxMiB: number;
  /** Whether the visitor has a session, which may have ended since. */
  readonly isSignedIn: boolean;
}

/** Opens the workbench for a visitor to the front page, in place of the drop zone. */
export function startTrial(container: HTMLElement, files: Iterable<File>, offer: Offer): void {
  const tokens = new TokenLine();
  const send = needsHumanCheck ? sendChecked('/v1/try', () => tokens.take()) : sendTo('/v1/try');
  const store = new UploadStore(send, offer.maxMiB);
  store.add(chosen(files));
  container.replaceChildren();
  container.removeAttribute('aria-busy');
  render(<Trial store={store} tokens={tokens} offer={offer} />, container);
  // Moves the focus from the removed chooser, unless something else has taken it.
  focusIfLost(container.querySelector<HTMLElement>('.upload'));
}

function Trial({ store, tokens, offer }: { store: UploadStore; tokens: TokenLine; offer: Offer }) {
  useUploads(store);
  const humanCheck = useHumanCheck();
  const { token, hasFailed, renew } = humanCheck;
  useEffect(() => {
    if (hasFailed) tokens.fail();
    else if (token === undefined) tokens.withdraw();
    else tokens.offer(token, renew);
  }, [token, hasFailed, renew, tokens]);
  const { uploads, halted } = store.queue;
  // Until there is a result, the chosen image is shown, so that nothing moves when the result arrives.
  const shown =
    uploads.find(({ state }) => state.kind === 'done') ??
    (halted ? undefined : uploads.find(isUnderWay));
  const result = shown?.state.kind === 'done' ? shown.state.result : null;
  return (
    <div class="stack trial">
      {shown && (
        <>
          <Payoff upload={shown} result={result} onSaved={() => store.markSaved([shown.id])} />
          <div class="trial-stage">
            {result ? (
              <Stage file={shown.file} result={result} scrollsPage />
            ) : (
              <Preview file={shown.file} />
            )}
          </div>
        </>
      )}
      <Workbench
        store={store}
        onResume={() => {}}
        note={<TrialsLeft left={store.trialsLeft} offer={offer} />}
        haltAction={({ code }) => code === 'trial_limit_reached' && <Invitation offer={offer} />}
      />
      <HumanCheckField {...humanCheck} />
      {uploads.length > 0 && halted?.code !== 'trial_limit_reached' && <Invitation offer={offer} />}
    </div>
  );
}

function isUnderWay({ state }: Upload): boolean {
  return state.kind !== 'refused' && state.kind !== 'failed';
}

/** The image while it is being processed. */
function Preview({ file }: { file: File }) {
  const url = useBlobUrl(file);
  const [isHidden, setHidden] = useState(false);
  if (url === null || isHidden) return null;
  return <img class="trial-preview" src={url} alt={file.name} onError={() => setHidden(true)} />;
}

/**
 * The outcome of an image.
 * @param result null while the image is being processed
 */
function Payoff({
  upload: { file, state },
  result,
  onSaved,
}: {
  upload: Upload;
  result: Result | null;
  onSaved: () => void;
}) {
  if (result === null) {
    return (
      <p class="payoff pending" tabIndex={-1} ref={focusIfLost}>
        <strong>
          {state.kind === 'sending' && state.share < 1
            ? `Uploading, ${Math.floor(100 * state.share)}%`
            : 'Optimizing…'}
        </strong>
        <span>{sizeText(file.size)}</span>
      </p>
    );
  }
  const { blob, fileName, bytesBefore, bytesAfter, isSmaller } = result;
  const smaller = Math.round(100 * (1 - bytesAfter / bytesBefore));
  return (
    <p class="payoff" tabIndex={-1} ref={focusIfLost}>
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

/** Focuses an element if the focus was lost because its element was removed. */
function focusIfLost(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true });
}

function TrialsLeft({
  left,
  offer: { images, isSignedIn },
}: {
  left: number | null;
  offer: Offer;
}) {
  return (
    <>
      {left === null ? `${countText(images)} a day` : `${countText(left)} more today`}{' '}
      {isSignedIn ? 'on this page' : 'without an account'}; each format of an image counts as one.
      Images are never stored.
    </>
  );
}

/** A link to the cabinet, or to creating an account. It opens a new tab, so that the images stay here. */
function Invitation({ offer: { freeFiles, isSignedIn } }: { offer: Offer }) {
  if (isSignedIn) {
    return (
      <p>
        <a class="button" href={workbench} target="_blank" rel="noreferrer">
          {workbenchInvitation}
        </a>
      </p>
    );
  }
  return (
    <p class="cluster invitation">
      <span>{countText(freeFiles)} images a month are free with an account, larger ones too.</span>
      <a class="button" href="/sign-in" target="_blank" rel="noreferrer">
        Get a free account
      </a>
    </p>
  );
}
