import { render } from 'preact';
import { filesText } from '../../text/formatting.ts';
import { workbench, workbenchInvitation } from '../../text/interface.ts';
import type { Selection } from './chosen-files.ts';
import { device } from './device.ts';
import { JobStore } from './job-store.ts';
import { focusIfLost } from './showcase.tsx';
import { askBeforeLoss, Workbench } from './workbench.tsx';

/** Facts of this deployment that the page states for visitors. */
interface Offer {
  readonly freeFiles: number;
  /** Whether the visitor has a session, which may have ended since. */
  readonly isSignedIn: boolean;
}

/**
 * Opens the workbench for a visitor to the front page, in place of the drop zone.
 * @param selections may grow until the workbench is open
 */
export async function openWorkbench(
  container: HTMLElement,
  selections: readonly Selection[],
  offer: Offer,
): Promise<void> {
  const store = new JobStore(device);
  askBeforeLoss(store);
  for (const selection of selections) await store.take(selection);
  container.replaceChildren();
  container.removeAttribute('aria-busy');
  render(<Workbench store={store} note={<Invitation offer={offer} />} />, container);
  container.scrollIntoView({ block: 'nearest' });
  // Moves the focus from the removed chooser, unless something else has taken it.
  focusIfLost(container.querySelector<HTMLElement>('.image-row'));
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
      <span>The API does this for your website: {filesText(freeFiles)} a month are free.</span>
      <a class="button" href="/sign-in" target="_blank" rel="noreferrer">
        Get a free account
      </a>
    </p>
  );
}
