import '../../design/index.css';
import '../../design/drop-zone.css';
import '../../design/landing.css';
import { connectCopyButtons } from '../parts/clipboard.ts';

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
  const over = new AbortController();
  const { signal } = over;

  async function start(files: Iterable<File>) {
    // from here on the workbench takes what is dropped
    over.abort();
    place?.classList.remove('over');
    place?.setAttribute('aria-busy', 'true');
    const { freeFiles, maxMib } = place?.dataset ?? {};
    const offer = { freeFiles: Number(freeFiles), maxMiB: Number(maxMib) };
    const { startTrial } = await import('../workbench/trial.tsx');
    if (place) startTrial(place, files, offer);
  }

  chooser.addEventListener('change', () => start([...(chooser.files ?? [])]), { signal });
  const isOfFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  document.addEventListener(
    'dragover',
    (event) => {
      if (!isOfFiles(event)) return;
      event.preventDefault();
      place.classList.add('over');
    },
    { signal },
  );
  document.addEventListener(
    'dragleave',
    ({ relatedTarget }) => relatedTarget === null && place.classList.remove('over'),
    { signal },
  );
  document.addEventListener(
    'drop',
    (event) => {
      if (!isOfFiles(event)) return;
      event.preventDefault();
      void start([...(event.dataTransfer?.files ?? [])]);
    },
    { signal },
  );
  document.addEventListener(
    'paste',
    (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length > 0) void start(files);
    },
    { signal },
  );
}

connectSliders();
connectTrial();
connectCopyButtons();
