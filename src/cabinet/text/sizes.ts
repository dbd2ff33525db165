const units = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A number of bytes as people read it, in powers of 1,000: `653 KB`, `1.81 MB`. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

/** The larger of two sizes, told apart from the smaller: with more digits where both read the same. */
export function largerSizeText(larger: number, smaller: number): string {
  const text = sizeText(larger);
  if (larger <= smaller || text !== sizeText(smaller)) return text;
  const unit = units.indexOf(text.slice(text.indexOf(' ') + 1));
  const inUnit = (bytes: number, digits: number) =>
    `${(bytes / 1000 ** unit).toFixed(digits)} ${units[unit]}`;
  const digits = Array.from({ length: 3 * unit }, (_, i) => i + 1);
  const enough = digits.find((count) => inUnit(larger, count) !== inUnit(smaller, count));
  return inUnit(larger, enough ?? 3 * unit);
}

/** A count with its thousands apart: `12,345`. */
export function countText(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 file`, `1,200 files`; with a word before the noun: `3 free files`. */
export function filesText(count: number, kind = ''): string {
  return [countText(count), kind, count === 1 ? 'file' : 'files'].filter(Boolean).join(' ');
}

/** How much smaller, as a share: `−64 %`, `−0.5 %`; `+3.0 %`, `+1,250 %` for what grew. */
export function changeText(before: number, after: number): string {
  const percent = before === 0 ? 0 : (after / before - 1) * 100;
  const size = Math.abs(percent);
  if (size < 0.05) return '0 %';
  return `${percent > 0 ? '+' : '−'}${size < 10 ? size.toFixed(1) : countText(Math.round(size))} %`;
}
