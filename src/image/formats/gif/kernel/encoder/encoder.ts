/** What coding frames takes of the memory. */
import { allocateDictionary } from './dictionary';
import { allocateExactSearch } from './exact-search';
import { allocatePlanes } from './frame';
import { allocateLossySearch } from './lossy-search';

/** Allocates what coding a frame of so many pixels takes, but its data; false where there is no room. */
export function allocateEncoder(pixels: usize): bool {
  return (
    allocatePlanes(pixels) && allocateDictionary() && allocateExactSearch() && allocateLossySearch()
  );
}
