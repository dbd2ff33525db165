import type { Metadata } from './metadata/metadata.ts';
import type { OptimizeOptions } from './options.ts';

/** What of a source's metadata goes on. */
export interface Keeping {
  readonly level: OptimizeOptions['metadata'];
  /** All that the source has. */
  readonly metadata: Metadata;
}
