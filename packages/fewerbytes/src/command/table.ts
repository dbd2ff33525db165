import type { FileResult, Summary } from '../files/report.ts';
import { formatName } from '../images.ts';
import { bytesText, printable, savedText } from './texts.ts';

/** Maximum number of failed files listed under each code; `--json` has them all. */
const maxListed = 20;

/** The text at the end of a run: bytes by format, counts, and what to do about the files that failed. */
export function summaryText(summary: Summary): string {
  const { files, isCancelled, cacheError } = summary;
  const failures = failuresText(files);
  const isAnyRead = files.some(({ inputType }) => inputType !== null);
  return [
    ...(isAnyRead ? [table(files)] : []),
    countsText(summary),
    ...(isCancelled ? ['Interrupted. Every file is whole; run the same command to go on.'] : []),
    ...(cacheError
      ? [
          `Results could not be cached (${cacheError}): running this again works on every image again, and makes results worse. Name a folder with --cache.`,
        ]
      : []),
    ...(failures ? [failures] : []),
  ].join('\n\n');
}

function table(files: readonly FileResult[]): string {
  const images = files.filter(({ inputType }) => inputType !== null);
  const groups = new Map<string, FileResult[]>();
  for (const file of images) {
    const group = groups.get(rowName(file)) ?? [];
    group.push(file);
    groups.set(rowName(file), group);
  }
  const rows = [...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, group]) => row(name, group));
  const all = rows.length > 1 ? [row('all', images)] : [];
  return columns([['', 'files', 'before', 'after', 'saved'], ...rows, ...all]);
}

function rowName({ inputType, outputType }: FileResult): string {
  const before = formatName(inputType ?? '');
  const after = formatName(outputType ?? inputType ?? '');
  return before === after ? before : `${before} → ${after}`;
}

function row(name: string, files: readonly FileResult[]): string[] {
  const before = files.reduce((sum, { inputBytes }) => sum + inputBytes, 0);
  const after = files.reduce((sum, { outputBytes }) => sum + outputBytes, 0);
  return [
    name,
    String(files.length),
    bytesText(before),
    bytesText(after),
    savedText(before, after) || '–',
  ];
}

/** Aligns the first column to the left and the others to the right. */
function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((cells) => cells[at]?.length ?? 0)),
  );
  return rows
    .map((cells) =>
      cells
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join('   '),
    )
    .join('\n');
}

function countsText({ files, requests, quotaRemaining, peakMemory }: Summary): string {
  if (files.length === 0) return 'No images found.';
  const count = (status: FileResult['status']) =>
    files.filter((file) => file.status === status).length;
  const cached = files.filter(({ isCached }) => isCached).length;
  // whose results a dry run has found in the cache
  const made = files.filter(({ status, isCached }) => status === 'planned' && isCached).length;
  const parts = [
    [count('optimized'), 'optimized'],
    [count('kept'), 'cannot be smaller'],
    [count('planned') - made, requests === null ? 'would be optimized' : 'would be sent'],
    [made, 'would be written'],
    [count('skipped'), 'left alone'],
    [count('failed'), 'failed'],
  ] as const;
  const counts = parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number} ${word}`);
  const sent =
    requests === null ? '' : `${requests} ${requests === 1 ? 'request' : 'requests'} sent, `;
  const known = `${sent}${cached} known from the cache.`;
  const left = quotaRemaining === null ? '' : ` ${quotaRemaining} files left on the account.`;
  const peak = peakMemory === null ? '' : ` Peak memory: ${bytesText(peakMemory)}.`;
  return `${counts.join(', ') || 'Nothing done'}. ${known}${left}${peak}`;
}

/** Failed files, grouped by error code and message. */
function failuresText(files: readonly FileResult[]): string {
  const groups = new Map<string, { code: string; help: string | null; paths: string[] }>();
  for (const { path, error } of files) {
    if (!error) continue;
    const { code, message, help } = error;
    const group = groups.get(`${code} ${message}`) ?? { code, help, paths: [] };
    group.paths.push(path);
    groups.set(`${code} ${message}`, group);
  }
  return Array.from(groups, ([key, { code, help, paths }]) => {
    const more = paths.length - maxListed;
    return [
      printable(`${code}: ${key.slice(code.length + 1)}`),
      ...(help ? [`  ${printable(help)}`] : []),
      ...paths
        .sort()
        .slice(0, maxListed)
        .map((path) => `  ${printable(path)}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n');
  }).join('\n\n');
}
