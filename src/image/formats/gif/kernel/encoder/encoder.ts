/** What coding frames takes of the memory. */
import { allocateDictionary } from './dictionary';
import { allocateExactSearch } from './exact-search';
import { allocatePlanes } from './frame';
import { allocateLossySearch } from './lossy-search';

/**
 * Allocates what coding a frame of so many pixels takes, but its data; false if there is no room.
 * @param inPlace without planes of what shall be seen and what is below, which lie elsewhere
 */
export function allocateEncoder(pixels: usize, inPlace: bool): bool {
  return (
    allocatePlanes(pixels, inPlace) &&
    allocateDictionary() &&
    allocateExactSearch() &&
    allocateLossySearch()
  );
}
