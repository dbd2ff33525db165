import '../../design/index.css';
import '../../design/docs.css';
import '../../design/docs-table.css';
import '../../design/code-choice.css';
import '../../design/reference.css';
import { connectSearchBox } from '../docs/search-box.ts';
import { connectCopyButtons } from '../parts/clipboard.ts';
import { connectCodeChoices } from '../parts/code-choices.ts';

// This comes first, because the page is not painted before.
connectCodeChoices();
connectCopyButtons();
connectSearchBox();

// The current page may be far down in the menu.
const menu = document.querySelector<HTMLElement>('.docs-side .docs-menu');
const current = menu?.querySelector<HTMLElement>('[aria-current]');
if (menu && current) menu.scrollTop = current.offsetTop - menu.offsetTop - menu.clientHeight / 2;
