import '../../design/index.css';
import '../../design/docs.css';
import '../../design/docs-table.css';
import '../../design/code-choice.css';
import '../../design/reference.css';
import { connectCodeChoices } from '../docs/code-choices.ts';
import { connectSearchBox } from '../docs/search-box.ts';
import { connectCopyButtons } from '../parts/clipboard.ts';

// first: the page is not painted before
connectCodeChoices();
connectCopyButtons();
connectSearchBox();
