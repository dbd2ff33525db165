import '../../design/index.css';
import '../../design/landing.css';
import { connectCopyButtons } from '../parts/clipboard.ts';
import { handlePageFiles, selectionOf } from '../parts/page-files.ts';
import type { Selection } from '../workbench/chosen-files.ts';

/** Connects the slider of each server-rendered comparison to its divider. */
function connectSliders(): void {
  for (const comparison of document.querySelectorAll<HTMLElement>('.comparison')) {
    const slider = comparison.querySelector('input');
    slider?.addEventListener('input', () => {
      comparison.style.setProperty('--at', `${slider.value}%`);
    });
  }
}

/** Opens the workbench in place of the drop zone when files are chosen, or dropped anywhere on the page. */
function connectDropZone(place: HTMLElement): void {
  const untilStarted = new AbortController();
  const { signal } = untilStarted;

  async function start(selection: Selection) {
    // From here on, the workbench handles dropped files.
    untilStarted.abort();
    place.setAttribute('aria-busy', 'true');
    const { freeFiles, signedIn } = place.dataset;
    const offer = { freeFiles: Number(freeFiles), isSignedIn: signedIn !== undefined };
    try {
      await loadStylesAgain();
      const { openWorkbench } = await import('../workbench/front-page.tsx');
      await openWorkbench(place, selection, offer);
    } catch {
      place.removeAttribute('aria-busy');
      offerAgain(place, () => start(selection));
    }
  }

  /** While people still drag or choose. */
  const prepare = () => void import('../workbench/front-page.tsx').catch(() => {});

  for (const input of place.querySelectorAll('input')) {
    const take = () => {
      const selection = selectionOf(input);
      if (selection) void start(selection);
    };
    input.addEventListener('change', take, { signal });
    input.addEventListener('click', prepare, { signal });
  }
  handlePageFiles(
    {
      onDragging(isDragging) {
        place.classList.toggle('over', isDragging);
        if (isDragging) prepare();
      },
      onFiles: (selection) => void start(selection),
    },
    signal,
  );
}

/** Loads style sheets that could not be loaded before: an import asks for each only once. */
async function loadStylesAgain(): Promise<void> {
  const links = document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]');
  const failed = [...links].filter(({ sheet }) => sheet === null);
  await Promise.all(
    failed.map(
      (link) =>
        new Promise((resolve, reject) => {
          const again = link.cloneNode() as HTMLLinkElement;
          again.addEventListener('load', resolve);
          again.addEventListener('error', reject);
          link.replaceWith(again);
        }),
    ),
  );
}

/** Says in place of the drop zone that its code could not be loaded. The files are kept. */
function offerAgain(place: HTMLElement, again: () => void): void {
  const notice = document.createElement('p');
  notice.role = 'alert';
  notice.textContent =
    'What makes images smaller couldn’t be loaded. Check your connection, then try again, or reload this page.';
  const button = document.createElement('button');
  button.className = 'button';
  button.textContent = 'Try again';
  button.addEventListener('click', again);
  const zone = document.createElement('div');
  zone.className = 'drop-zone';
  zone.append(notice, button);
  place.replaceChildren(zone);
  button.focus();
}

const place = document.getElementById('images');
if (place) connectDropZone(place);
connectSliders();
connectCopyButtons();
