import { createInterface } from 'node:readline/promises';
import {
  type AllowedDomains,
  parseAllowedDomains,
  whoMaySignIn,
} from '../access/allowed-domains.ts';
import { isPlaceholder } from '../access/email-address.ts';
import type { MailSender } from './mail.ts';
import type { NodeSettings } from './settings.ts';
import type { State } from './storage/state-folder.ts';

/** Where a server tells its operator what happens. */
export interface Terminal {
  show(text: string): void;
  /** Asks a person; null if there is none. */
  readonly ask: ((question: string) => Promise<string>) | null;
}

/** Asks the person at the terminal. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

const question = `
Who may sign in? Type the domain of your own mail addresses, such as example.org; several are separated by commas.
*.edu stands for all domains below edu, * for everyone. Enter alone: addresses at the large public providers.
ALLOWED_EMAIL_DOMAINS changes it later.
> `;

/** Asks whose addresses may sign in, unless an answer is kept, and keeps it: an empty one stands for the default. */
export async function askForDomains(
  ask: (question: string) => Promise<string>,
  state: Pick<State, 'keep' | 'keeps'>,
): Promise<void> {
  if (state.keeps('ALLOWED_EMAIL_DOMAINS')) return;
  for (let text = question; ; text = 'That is no list of domains. Once more:\n> ') {
    const answer = (await ask(text)).trim();
    if (answer !== '' && parseAllowedDomains(answer) === null) continue;
    state.keep('ALLOWED_EMAIL_DOMAINS', answer);
    return;
  }
}

/** What operators must know whose mails reach nobody; null if theirs may. */
export function mailNotice(mailUrl: string, mailFrom: string): string | null {
  if (mailUrl === '') {
    return framed('MAIL_URL is not set: sign-in codes appear here, so nobody else can sign in.');
  }
  if (!isPlaceholder(mailFrom)) return null;
  return framed('MAIL_FROM is still an example: set an address from which MAIL_URL sends.');
}

function framed(line: string): string {
  const rule = '─'.repeat(line.length + 2);
  return `\n┌${rule}┐\n│ ${line} │\n└${rule}┘\n`;
}

/** Says where the service is, how it ends, and who may sign in. */
export function startNotice(
  origin: string,
  { STATE_DIR, THREADS }: NodeSettings,
  allowed: AllowedDomains,
): string {
  const threads = THREADS === 1 ? '1 thread' : `${THREADS} threads`;
  return `\nThe service is at ${origin} (data in ${STATE_DIR}, ${threads} for images). Ctrl-C stops it.
${whoMaySignIn(allowed)} ALLOWED_EMAIL_DOMAINS changes that.\n`;
}

/** A sender that shows mails in the terminal instead, for a service that only its operator uses. */
export function terminalSender(show: (text: string) => void): MailSender {
  return {
    async send({ to, subject, text }) {
      show(`\nMail to ${to}\nSubject: ${subject}\n\n${text}\n\n`);
      return { messageId: crypto.randomUUID() };
    },
    close: () => {},
  };
}

/** Levels of a console, and what lines call them. */
const levels = { log: 'info', info: 'info', warn: 'warning', error: 'error' } as const;

type Level = keyof typeof levels;

/** A console that has been told to log lines. */
type Lines = Pick<Console, Level>;

/**
 * Makes a console print each object that is logged as one line of JSON, with its time (ISO 8601, UTC) and level in front. What
 * is logged as text is for people, and stays as it is.
 */
export function logAsLines(target: Lines): void {
  for (const level of Object.keys(levels) as Level[]) {
    const print = target[level].bind(target);
    target[level] = (...values: unknown[]) => {
      const [record, ...others] = values;
      const isRecord = typeof record === 'object' && record !== null && !(record instanceof Error);
      if (!isRecord || others.length > 0) return print(...values);
      const line = { time: new Date().toISOString(), level: levels[level], ...record };
      print(JSON.stringify(line));
    };
  }
}
