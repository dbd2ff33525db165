import '../../design/index.css';
import '../../design/code-choice.css';
import '../../design/bars.css';
import '../../design/beside.css';
import '../../design/landing.css';
import { connectCopyButtons } from '../parts/clipboard.ts';
import { connectCodeChoices } from '../parts/code-choices.ts';
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
  const untilOpen = new AbortController();
  const { signal } = untilOpen;
  // Whatever comes until the workbench is open, also while its code loads or could not be loaded.
  const selections: Selection[] = [];
  let isOpening = false;
  const { files = '', freeFiles, signedIn } = place.dataset;

  function take(selection: Selection) {
    selections.push(selection);
    void open();
  }

  async function open() {
    if (isOpening) return;
    isOpening = true;
    place.setAttribute('aria-busy', 'true');
    const offer = { freeFiles: Number(freeFiles), isSignedIn: signedIn !== undefined };
    try {
      await fetchAll(files.split(' '));
      const { openWorkbench } = await import('../workbench/front-page.tsx');
      await openWorkbench(place, selections, offer);
      // From here on, the workbench handles dropped files.
      untilOpen.abort();
      place.classList.remove('over');
    } catch {
      isOpening = false;
      place.removeAttribute('aria-busy');
      offerAgain(place, () => void open());
    }
  }

  /** While people still drag or choose. */
  const prepare = () => void fetchAll(files.split(' ')).catch(() => {});

  for (const input of place.querySelectorAll('input')) {
    const takeChosen = () => {
      const selection = selectionOf(input);
      if (selection) take(selection);
    };
    input.addEventListener('change', takeChosen, { signal });
    input.addEventListener('click', prepare, { signal });
  }
  handlePageFiles(
    {
      onDragging(isDragging) {
        place.classList.toggle('over', isDragging);
        if (isDragging) prepare();
      },
      onFiles: take,
    },
    signal,
  );
}

/** @throws Error unless all files are there; browsers keep them for the import, and some never repeat one that failed */
async function fetchAll(paths: readonly string[]): Promise<void> {
  const responses = await Promise.all(paths.map((path) => fetch(path)));
  if (!responses.every(({ ok }) => ok)) throw new Error('a file is not there');
}

/** Says in place of the drop zone that its code could not be loaded. The files are kept. */
function offerAgain(place: HTMLElement, again: () => void): void {
  const notice = document.createElement('p');
  notice.role = 'alert';
  notice.textContent =
    'The optimizer couldn’t be loaded. Check your connection, then try again, or reload this page.';
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
connectCodeChoices();
connectCopyButtons();
