import { launch } from 'puppeteer-core';
import { findFirefox } from '../../scripts/local/browsers.ts';

/** Launches it headless: Playwright needs a Firefox of its own, WebDriver BiDi does not. */
export function launchFirefox() {
  const executablePath = findFirefox();
  if (executablePath === null) throw new Error('There is no Firefox: set FIREFOX to one.');
  return launch({ browser: 'firefox', executablePath, headless: true, timeout: 100_000 });
}
