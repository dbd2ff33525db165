import type { FileResult, Summary } from '../files/report.ts';
import { formatName } from '../images.ts';

/** Exit statuses of the command. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  key: 3,
  quota: 4,
  interrupted: 130,
} as const;

export function exitCodeOf({ isCancelled, stop, files }: Summary): number {
  if (isCancelled) return exitCodes.interrupted;
  if (stop === 'key') return exitCodes.key;
  if (stop === 'quota') return exitCodes.quota;
  return files.some(({ status }) => status === 'failed') ? exitCodes.failed : exitCodes.done;
}

const units = ['B', 'kB', 'MB', 'GB'] as const;

/** A number of bytes with a decimal unit, such as `475.9 kB`. */
export function bytesText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const digits = power === 0 ? 0 : 1;
  return `${(bytes / 1000 ** power).toFixed(digits)} ${units[power]}`;
}

/** The reduction in percent, such as `−71%`; empty if there is none. Neither little nor almost all is rounded away. */
export function savedText(before: number, after: number): string {
  if (before === 0 || after >= before) return '';
  const percent = (1 - after / before) * 100;
  if (percent < 0.05) return '<0.1%';
  const isWhole = percent >= 10 && percent < 99.5;
  return `−${after === 0 ? 100 : Math.min(99.9, percent).toFixed(isWhole ? 0 : 1)}%`;
}

/** A file name without control and bidirectional characters, which could garble a terminal. */
export function printable(name: string): string {
  return name.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['already-optimal', 'cannot be made smaller'],
  ['animated', 'an animation of a kind that is not worked on'],
  ['larger-format', 'would be larger in this format or size'],
  ['optimized-before', 'optimized before'],
  ['exists', 'left alone: a file of that name is there, and is no result of these options'],
  ['set-result', 'left alone: a result of a set itself'],
  ['cancelled', 'interrupted'],
]);

/** What is not written yet: its width, if the file is one of a set, and a format other than that of the image. */
function plannedText(file: FileResult): string {
  if (file.status !== 'planned') return '';
  const width = 'width' in file && file.width !== null ? `${file.width} px` : '';
  const isOther = width !== '' || file.outputType !== file.inputType;
  return [width, isOther ? formatName(file.outputType ?? '') : ''].filter(Boolean).join(' ');
}

/** The line for a file: what was saved, or why nothing was. */
export function fileText(file: FileResult): string {
  const { status, path, output, inputBytes, outputBytes, reason, error, isCached } = file;
  const name = printable(path);
  const result = () => {
    const sizes = `${bytesText(inputBytes).padStart(8)} → ${bytesText(outputBytes).padStart(8)}`;
    const named = output !== null && output !== path ? printable(output) : plannedText(file);
    const target = named === '' ? '' : ` → ${named}`;
    const note = isCached ? '  (cached)' : '';
    return `${savedText(inputBytes, outputBytes).padStart(6)}  ${sizes}  ${name}${target}${note}`;
  };
  switch (status) {
    case 'optimized':
      return result();
    case 'planned':
      // of what is in the cache, the result is known
      if (isCached) return result();
      return `${''.padStart(6)}  ${bytesText(inputBytes).padStart(8)}${''.padStart(11)}  ${name}`;
    case 'kept':
    case 'skipped':
      return `${'='.padStart(6)}  ${bytesText(inputBytes).padStart(8)}${''.padStart(11)}  ${name}: ${reasons.get(reason ?? '') ?? printable(`${reason}`)}`;
    case 'failed':
      return `${'failed'.padStart(6)}  ${''.padStart(19)}  ${name}: ${printable(`${error?.code}`)}`;
    default:
      return status satisfies never;
  }
}
