import type { Table } from './section.ts';

/** For the terminal: the first column to the left, figures to the right. */
export function terminalTable({ caption, columns, rows }: Table): string {
  const lines = [columns, ...rows];
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((cells) => (cells[column] ?? '').length)),
  );
  const printed = lines.map((cells) =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? '';
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
  return [caption, ...printed].join('\n');
}

/** The same in Markdown. */
export function markdownTable({ caption, columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`;
  const rule = columns.map((_, column) => (column === 0 ? '---' : '---:'));
  return [`**${escaped(caption)}**`, '', line(columns), line(rule), ...rows.map(line)].join('\n');
}

/** What would end a cell, or begin something else in it. */
function escaped(text: string): string {
  return text.replace(/[|*_<\\]/g, '\\$&');
}
