import { addedBytes } from '../../text/byte-balance.ts';
import { filesText, sizeText } from '../../text/formatting.ts';
import type { Figures } from '../api/wire.ts';
import { shareText } from './plot-text.ts';

/** The bytes that files which came back larger added. */
export function addedByLarger({ bytes_in, bytes_out, bytes_saved }: Figures): number {
  return addedBytes({ before: bytes_in, after: bytes_out, saved: bytes_saved });
}

/** What became of the files, below the bytes saved: figures that explain that figure. */
export function balanceText(figures: Figures): string {
  const { files, bytes_in, bytes_out, bytes_saved } = figures;
  if (files === 0) return 'Your savings show up here with the first image.';
  const added = addedByLarger(figures);
  return added === 0
    ? `${shareText(bytes_saved, bytes_in)} smaller: ${sizeText(bytes_in)} became ${sizeText(bytes_out)} in ${filesText(files)}.`
    : `${filesText(files)}: ${sizeText(bytes_in)} became ${sizeText(bytes_out)}, of which larger results added ${sizeText(added)}.`;
}
