import '../../design/index.css';
import '../../design/landing.css';
import { connectCopyButtons } from '../parts/clipboard.ts';
import { handlePageFiles } from '../parts/page-files.ts';

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
function connectTrial(): void {
  const place = document.getElementById('trial');
  const chooser = place?.querySelector('input');
  if (!place || !chooser) return;
  const untilStarted = new AbortController();
  const { signal } = untilStarted;

  async function start(files: Iterable<File>) {
    // From here on, the workbench handles dropped files.
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
  handlePageFiles(
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
