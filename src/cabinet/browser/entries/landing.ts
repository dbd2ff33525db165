import '../../design/index.css';
import '../../design/landing.css';
import { connectCopyButtons } from '../parts/clipboard.ts';
import { takePageFiles } from '../parts/page-files.ts';

/** Makes the slider of each server-rendered comparison move its divider. */
function connectSliders(): void {
  for (const comparison of document.querySelectorAll<HTMLElement>('.comparison')) {
    const slider = comparison.querySelector('input');
    slider?.addEventListener('input', () => {
      comparison.style.setProperty('--at', `${slider.value}%`);
    });
  }
}

/** Files that are chosen, or dropped anywhere on the page, open the workbench in the place of the drop zone. */
function connectTrial(): void {
  const place = document.getElementById('trial');
  const chooser = place?.querySelector('input');
  if (!place || !chooser) return;
  const untilStarted = new AbortController();
  const { signal } = untilStarted;

  async function start(files: Iterable<File>) {
    // from here on the workbench takes what is dropped
    untilStarted.abort();
    place?.setAttribute('aria-busy', 'true');
    const { images, freeFiles, maxMib, signedIn } = place?.dataset ?? {};
    const offer = {
      images: Number(images),
      freeFiles: Number(freeFiles),
      maxMiB: Number(maxMib),
      isSignedIn: signedIn !== undefined,
    };
    const { startTrial } = await import('../workbench/trial.tsx');
    if (place) startTrial(place, files, offer);
  }

  chooser.addEventListener('change', () => start([...(chooser.files ?? [])]), { signal });
  takePageFiles(
    {
      onDragging: (isDragging) => place.classList.toggle('over', isDragging),
      onDrop: ({ files }) => void start([...files]),
      onPaste: (files) => void start(files),
    },
    signal,
  );
}

connectSliders();
connectTrial();
connectCopyButtons();
