import { bytesText, savedText } from '../../cli/src/command/texts.ts';
import type { FileResult, Summary } from '../../cli/src/run.ts';

/** Invisible marker by which later runs find the comment. */
export const marker = '<!-- smaller-images -->';

/** Keeps the comment below GitHub's limit of 65,536 characters. */
const maxRows = 200;

/** The report as Markdown, for the comment and the job summary. */
export function reportText(summary: Summary, isCommitted: boolean): string {
  const smaller = smallerFiles(summary);
  const failed = summary.files.filter(({ status }) => status === 'failed');
  const saved = bytesText(savedBytes(smaller));
  const title =
    smaller.length === 0
      ? 'No image of this change can be smaller'
      : `${saved} ${isCommitted ? 'saved' : 'could be saved'} in ${imagesText(smaller.length)}`;
  return [
    marker,
    `### ${title}`,
    ...(smaller.length > 0 ? ['', ...imageTable(smaller)] : []),
    ...(failed.length > 0 ? ['', ...failureList(failed)] : []),
    '',
    `${imagesText(summary.files.length)} looked at.${smaller.length > 0 && !isCommitted ? ' Nothing was committed.' : ''}`,
  ].join('\n');
}

/** The report without a key: lists the images, and says why they were not optimized. */
export function listText(images: readonly string[], isFork: boolean): string {
  const why = isFork
    ? 'Pull requests from forks get no secrets, so there is no API key here. A maintainer can run this on a branch of the repository.'
    : 'The input `key` is empty: put an API key into a secret of the repository, and pass it on.';
  return [
    marker,
    `### ${imagesText(images.length)} not looked at`,
    '',
    why,
    '',
    ...images.slice(0, maxRows).map((name) => `- ${codeText(name)}`),
    ...(images.length > maxRows ? [`- and ${images.length - maxRows} more`] : []),
  ].join('\n');
}

/** Replaces an earlier comment when the change no longer has images. */
export const nothingText = `${marker}\n### No images in this change`;

export function smallerFiles({ files }: Summary): FileResult[] {
  return files
    .filter(({ status }) => status === 'optimized')
    .sort((a, b) => b.inputBytes - b.outputBytes - (a.inputBytes - a.outputBytes));
}

export function savedBytes(files: readonly FileResult[]): number {
  return files.reduce((sum, { inputBytes, outputBytes }) => sum + inputBytes - outputBytes, 0);
}

function imageTable(files: readonly FileResult[]): string[] {
  const total = (bytes: 'inputBytes' | 'outputBytes') =>
    files.reduce((sum, file) => sum + file[bytes], 0);
  const row = (name: string, before: number, after: number) =>
    `| ${name} | ${bytesText(before)} | ${bytesText(after)} | ${savedText(before, after)} |`;
  const more = files.length - maxRows;
  return [
    '| Image | Now | Could be | Saved |',
    '| --- | ---: | ---: | ---: |',
    ...files
      .slice(0, maxRows)
      .map(({ path, inputBytes, outputBytes }) => row(codeText(path), inputBytes, outputBytes)),
    ...(more > 0 ? [`| and ${more} more | | | |`] : []),
    ...(files.length > 1 ? [row('**all**', total('inputBytes'), total('outputBytes'))] : []),
  ];
}

function failureList(files: readonly FileResult[]): string[] {
  const lines = files
    .slice(0, maxRows)
    .map(({ path, error }) => `- ${codeText(path)}: ${codeText(error?.code ?? '')}`);
  const more = files.length - maxRows;
  return [
    `${imagesText(files.length)} could not be optimized:`,
    '',
    ...lines,
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
}

function imagesText(count: number): string {
  return count === 1 ? '1 image' : `${count} images`;
}

/** Formats a file name as code, so that it cannot contain mentions, links or markup: strangers choose the names. */
export function codeText(name: string): string {
  const text = name.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${text.replaceAll('|', '\\|')}${space}${fence}`;
}
