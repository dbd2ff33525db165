import '../../design/index.css';
import '../../design/landing.css';
import { connectCopyButtons } from '../parts/clipboard.ts';

/** Lets the slider of every rendered comparison move its divider. */
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
