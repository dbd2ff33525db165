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

/** What visitors are told: facts of this deployment, as the page states them. */
interface Offer {
  /** That may be tried on a day. */
  readonly images: number;
  readonly freeFiles: number;
  readonly maxMiB: number;
  /** Whether they have a session, which may have ended since. */
  readonly isSignedIn: boolean;
}

/** Opens the workbench for a visitor to the front page, in the place of the drop zone. */
export function startTrial(container: HTMLElement, files: Iterable<File>, offer: Offer): void {
  const tokens = new TokenLine();
  const send = needsHumanCheck ? sendChecked('/v1/try', () => tokens.take()) : sendTo('/v1/try');
  const store = new UploadStore(send, offer.maxMiB);
  store.add(chosen(files));
  container.replaceChildren();
  container.removeAttribute('aria-busy');
  render(<Trial store={store} tokens={tokens} offer={offer} />, container);
  // where nothing else has taken the focus of the chooser that is gone
  focused(container.querySelector<HTMLElement>('.upload'));
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
  // until there is a result, the image as it was chosen, so that nothing moves when that comes
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
        note={<Left left={store.trialsLeft} offer={offer} />}
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

/** The image while it is worked on. */
function Preview({ file }: { file: File }) {
  const url = useBlobUrl(file);
  const [isHidden, setHidden] = useState(false);
  if (url === null || isHidden) return null;
  return <img class="trial-preview" src={url} alt={file.name} onError={() => setHidden(true)} />;
}

/**
 * What came of an image.
 * @param result null: it is still worked on
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
      <p class="payoff pending" tabIndex={-1} ref={focused}>
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

function Left({ left, offer: { images, isSignedIn } }: { left: number | null; offer: Offer }) {
  return (
    <>
      {left === null ? `${countText(images)} a day` : `${countText(left)} more today`}{' '}
      {isSignedIn ? 'on this page' : 'without an account'}; each format of an image counts as one.
      Images are never stored.
    </>
  );
}

/** Where to go on: to the cabinet, or for an account first. In a new tab, so that the images stay here. */
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
