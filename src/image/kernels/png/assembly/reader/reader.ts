/** All that reading takes. */
import { allocateExpansion } from './expand';
import { allocateRows } from './rows';

/** Allocates cursors, rows and what their pixels need; false where there is no room. */
export function allocateReader(): bool {
  return allocateRows() && allocateExpansion();
}
