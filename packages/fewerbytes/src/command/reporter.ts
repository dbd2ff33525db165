import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import type { FileResult, RunEvent, SetReport, Summary } from '../files/report.ts';
import { summaryText } from './table.ts';
import { bytesText, fileText, printable, savedText } from './texts.ts';

/** Shows the progress and outcome of a run. */
export interface Reporter {
  event(event: RunEvent): void;
  summary(summary: Summary): void;
  /** Shows a sentence between the lines. */
  note(text: string): void;
}

/**
 * Prints one JSON object per line: `{ "type": "file", … }` for each file or result of a set, `{ "type": "set", … }` for
 * each set, `{ "type": "summary", … }` at the end.
 */
export class JsonReporter implements Reporter {
  readonly #out: NodeJS.WritableStream;

  constructor(out: NodeJS.WritableStream) {
    this.#out = out;
  }

  event(event: RunEvent): void {
    if (event.type === 'file') this.#line({ type: 'file', ...event.file });
    if (event.type === 'set') this.#set(event.set);
    if (event.type === 'wait') this.#line(event);
  }

  summary({ files, ...rest }: Summary): void {
    const count = (status: FileResult['status']) =>
      files.filter((file) => file.status === status).length;
    const counts = {
      optimized: count('optimized'),
      kept: count('kept'),
      skipped: count('skipped'),
      planned: count('planned'),
      failed: count('failed'),
    };
    this.#line({ type: 'summary', files: files.length, ...counts, ...rest });
  }

  note(): void {}

  #set({ files, ...set }: SetReport): void {
    for (const file of files) this.#line({ type: 'file', ...file });
    this.#line({ type: 'set', ...set });
  }

  #line(value: object): void {
    this.#out.write(`${JSON.stringify(value)}\n`);
  }
}

/** Prints the markup of the sets of a run at its end, and has another reporter tell the rest elsewhere. */
export class HtmlReporter implements Reporter {
  readonly #out: NodeJS.WritableStream;
  readonly #other: Reporter;
  #sets: SetReport[] = [];

  constructor(out: NodeJS.WritableStream, other: Reporter) {
    this.#out = out;
    this.#other = other;
  }

  event(event: RunEvent): void {
    if (event.type === 'set' && event.set.html !== '') this.#sets.push(event.set);
    this.#other.event(event);
  }

  summary(summary: Summary): void {
    this.#other.summary(summary);
    // several are worked on at a time
    for (const { html } of this.#sets.toSorted((a, b) => a.path.localeCompare(b.path))) {
      this.#out.write(`${html}\n`);
    }
    this.#sets = [];
  }

  note(text: string): void {
    this.#other.note(text);
  }
}

/** Turns line wrapping off while live lines are drawn, so that each takes exactly one row (DECAWM). */
const [wrapOff, wrapOn] = ['\x1b[?7l', '\x1b[?7h'];
const clearBelow = '\x1b[0J';

/**
 * Prints a line per file and the table at the end. On a terminal, live lines below show each image in progress and the
 * total, and are redrawn with every event; elsewhere there are no control characters at all.
 */
export class TextReporter implements Reporter {
  readonly #out: WriteStream;
  readonly #isLive: boolean;
  readonly #hasColors: boolean;
  readonly #active = new Set<string>();
  #liveLines = 0;
  #found = 0;
  #done = 0;
  #before = 0;
  #after = 0;
  #openAt = 0;
  #clock: NodeJS.Timeout | undefined;

  constructor(out: WriteStream) {
    this.#out = out;
    this.#isLive = out.isTTY === true && process.env.TERM !== 'dumb';
    // respects NO_COLOR and FORCE_COLOR
    this.#hasColors = this.#isLive && out.hasColors();
  }

  event(event: RunEvent): void {
    switch (event.type) {
      case 'found':
        this.#found = event.count;
        this.#done = 0;
        this.#before = 0;
        this.#after = 0;
        break;
      case 'start':
        this.#active.add(event.path);
        break;
      case 'wait':
        this.#openAt = Date.now() + event.milliseconds;
        if (!this.#isLive) this.#print(waitText(event.code, event.milliseconds));
        else this.#clock ??= setInterval(() => this.#draw(), 1000);
        break;
      case 'file':
        this.#take(event.file.path, [event.file]);
        return;
      case 'set':
        this.#take(event.set.path, event.set.files);
        return;
      default:
        event satisfies never;
    }
    this.#draw();
  }

  summary(summary: Summary): void {
    clearInterval(this.#clock);
    this.#clock = undefined;
    this.#active.clear();
    this.#found = 0;
    this.#print(`${summary.files.length > 0 ? '\n' : ''}${summaryText(summary)}`);
  }

  note(text: string): void {
    this.#print(text);
  }

  /** @param files what came of an image */
  #take(path: string, files: readonly FileResult[]): void {
    this.#active.delete(path);
    this.#done += 1;
    for (const file of files) this.#add(file);
  }

  #add(file: FileResult): void {
    this.#before += file.inputBytes;
    this.#after += file.outputBytes;
    if (file.reason === 'cancelled') return;
    const color = file.status === 'failed' ? 'red' : file.status === 'optimized' ? 'green' : 'dim';
    this.#print(this.#styled(color, fileText(file)));
  }

  #styled(color: 'red' | 'green' | 'dim', line: string): string {
    if (!this.#hasColors) return line;
    return `${styleText(color, line.slice(0, 7))}${line.slice(7)}`;
  }

  /** Prints text that stays, above the live lines. */
  #print(text: string): void {
    this.#out.write(`${this.#erased()}${text}\n`);
    this.#draw();
  }

  #draw(): void {
    if (!this.#isLive || this.#found === 0) return;
    const wait = this.#openAt - Date.now();
    const total = `${this.#done} of ${this.#found}   ${bytesText(this.#before)} → ${bytesText(this.#after)}   ${savedText(this.#before, this.#after)}`;
    // what has scrolled off the top cannot be erased
    const room = Math.max(1, (this.#out.rows || 24) - 3);
    const active = Array.from(this.#active, printable);
    const shown = active.length > room ? active.slice(0, room - 1) : active;
    const more = active.length - shown.length;
    const lines = [
      ...[...shown, ...(more > 0 ? [`and ${more} more`] : [])].map((name) => `         … ${name}`),
      wait > 0 ? `${total}   ${waitText('the service', wait)}` : total,
    ];
    this.#out.write(`${this.#erased()}${wrapOff}${lines.join('\n')}\n${wrapOn}`);
    this.#liveLines = lines.length;
  }

  #erased(): string {
    if (this.#liveLines === 0) return '';
    const up = `\x1b[${this.#liveLines}A\r${clearBelow}`;
    this.#liveLines = 0;
    return up;
  }
}

function waitText(who: string, milliseconds: number): string {
  return `${printable(who)}: waiting for ${Math.ceil(milliseconds / 1000)} s, as the service asks.`;
}
