/** What is looked at in each row of a picture before it is known how it will be written. */
import { takeColors } from './color-list';
import { allShallow, narrowRow, takeDeepTraits } from './deep-traits';
import { clearDeepHidden, clearHidden } from './hidden-pixels';
import { takeTraits } from './traits';

/** @param keepsHidden whether colours under full transparency count; otherwise they are cleared */
export function surveyRow(rgba: usize, width: i32, keepsHidden: bool): void {
  if (!keepsHidden) clearHidden(rgba, width);
  takeTraits(rgba, width);
  takeColors(rgba, width);
}

/**
 * The same for a row of 16-bit samples, which is looked at as one of 8 bits as long as those hold all
 * of it.
 * @param rgba where a row of 8-bit RGBA may be written
 */
export function surveyDeepRow(deep: usize, width: i32, keepsHidden: bool, rgba: usize): void {
  if (!keepsHidden) clearDeepHidden(deep, width);
  takeDeepTraits(deep, width);
  if (!allShallow()) return;
  narrowRow(deep, width, rgba);
  surveyRow(rgba, width, true);
}
