import '../../design/index.css';
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

connectSliders();
connectCopyButtons();
