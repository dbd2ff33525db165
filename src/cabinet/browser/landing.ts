import '../design/index.css';
import '../design/landing.css';
import { connectCopyButtons } from './copy-buttons.ts';
import { connectSliders } from './slider.ts';

connectSliders();
connectCopyButtons();
