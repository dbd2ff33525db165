import { existsSync } from 'node:fs';
import { launch } from 'puppeteer-core';

const usualPlaces = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
];

/** Path of a Firefox for tests: the value of `FIREFOX`, or one in a usual place; null if there is none. */
export function findFirefox(): string | null {
  const { FIREFOX } = process.env;
  return FIREFOX || (usualPlaces.find((path) => existsSync(path)) ?? null);
}

/** Launches it headless; Playwright needs a Firefox of its own, WebDriver BiDi does not. */
export async function launchFirefox() {
  const executablePath = findFirefox();
  if (executablePath === null) throw new Error('There is no Firefox: set FIREFOX to one.');
  return launch({ browser: 'firefox', executablePath, headless: true });
}
