/** Memory of the frame encoder. */
import { allocateDictionary } from './dictionary';
import { allocateExactSearch } from './exact-search';
import { allocatePlanes } from './frame';
import { allocateLossySearch } from './lossy-search';

/**
 * Allocates what encoding a frame of `pixels` pixels needs, except for its data; false if memory runs out.
 * @param inPlace without planes of target colors and of the colors below, which lie elsewhere
 */
export function allocateEncoder(pixels: usize, inPlace: bool): bool {
  return (
    allocatePlanes(pixels, inPlace) &&
    allocateDictionary() &&
    allocateExactSearch() &&
    allocateLossySearch()
  );
}
