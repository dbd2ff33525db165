import { bytesText, savedText } from '../../fewerbytes/src/command/texts.ts';
import type { FileResult, Summary } from '../../fewerbytes/src/files/report.ts';

/** Invisible marker by which later runs find the comment. */
export const marker = '<!-- smaller-images -->';

/** Rows and characters of a table or list, which keep the comment below GitHub's limit of 65,536 characters. */
const maxRows = 200;
const maxCharacters = 25_000;

/** The report as Markdown, for the comment and the job summary. */
export function reportText(summary: Summary, isCommitted: boolean): string {
  const smaller = smallerFiles(summary);
  const failed = summary.files.filter(({ status }) => status === 'failed');
  const saved = bytesText(savedBytes(smaller));
  const lookedAt = summary.files.length - failed.length;
  const title =
    smaller.length === 0
      ? nothingSmallerText(lookedAt, failed.length)
      : `${saved} ${isCommitted ? 'saved' : 'could be saved'} in ${imagesText(smaller.length)}`;
  return [
    marker,
    `### ${title}`,
    ...(smaller.length > 0 ? ['', ...imageTable(smaller)] : []),
    ...(failed.length > 0 ? ['', ...failureList(failed)] : []),
    '',
    `${imagesText(lookedAt)} looked at.${smaller.length > 0 && !isCommitted ? ' Nothing was committed.' : ''}`,
  ].join('\n');
}

function nothingSmallerText(lookedAt: number, failed: number): string {
  if (failed === 0) return 'No image of this change can be smaller';
  if (lookedAt === 0) return `${imagesText(failed)} not looked at`;
  return `${imagesText(lookedAt)} looked at, and none of them can be smaller`;
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
  return [
    '| Image | Now | Could be | Saved |',
    '| --- | ---: | ---: | ---: |',
    ...limited(
      files.map(({ path, inputBytes, outputBytes }) =>
        row(codeText(path), inputBytes, outputBytes),
      ),
      (more) => `| and ${more} more | | | |`,
    ),
    ...(files.length > 1 ? [row('**all**', total('inputBytes'), total('outputBytes'))] : []),
  ];
}

function failureList(files: readonly FileResult[]): string[] {
  const lines = files.map(
    ({ path, error }) => `- ${codeText(path)}: ${codeText(error?.code ?? '')}`,
  );
  return [
    `${imagesText(files.length)} could not be optimized:`,
    '',
    ...limited(lines, (more) => `- and ${more} more`),
  ];
}

/** As many lines as fit, and one for the rest. */
function limited(lines: readonly string[], restText: (count: number) => string): string[] {
  let characters = 0;
  const at = lines.findIndex((line, index) => {
    characters += line.length + 1;
    return index === maxRows || characters > maxCharacters;
  });
  return at === -1 ? [...lines] : [...lines.slice(0, at), restText(lines.length - at)];
}

function imagesText(count: number): string {
  return count === 1 ? '1 image' : `${count} images`;
}

/**
 * Formats a file name as code, so that it cannot contain mentions, links or markup: strangers choose the names. Code in
 * backticks cannot hold every name in every place: inside a table, a backslash before a pipe ends it. Other names are
 * written with character references (CommonMark §2.5), which have no meaning as markup.
 */
function codeText(name: string): string {
  const text = name.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
  if (!/[`|\\]/.test(text)) return `\`${text}\``;
  const escaped = text.replaceAll(
    /[^\p{L}\p{N}/ -]/gu,
    (character) => `&#${character.codePointAt(0)};`,
  );
  return `<code>${escaped}</code>`;
}
