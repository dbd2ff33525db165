import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../scripts/local/chromium.ts';

/** Whether there is a browser to test with; without one these tests are skipped. */
export const hasBrowser = findChromium() !== null;

/** Chromium without a window, and without asking servers of its maker anything. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('There is no Chromium: set CHROMIUM to one.');
  return chromium.launch({
    executablePath,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // its sandbox refuses to be run by root, as tests in containers are
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
}
