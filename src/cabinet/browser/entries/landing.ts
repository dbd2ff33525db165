import '../../design/index.css';
import '../../design/landing.css';
import { connectCopyButtons } from '../rendered/copy-buttons.ts';
import { connectSliders } from '../rendered/slider.ts';

connectSliders();
connectCopyButtons();
