import '../../design/index.css';
import '../../design/docs.css';
import '../../design/docs-table.css';
import '../../design/code-choice.css';
import '../../design/reference.css';
import { connectSearchBox } from '../docs/search-box.ts';
import { connectCopyButtons } from '../parts/clipboard.ts';

connectCopyButtons();
connectSearchBox();
