import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Usual install paths of Chromium-based browsers on development systems. */
const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Path of a browser for tests: the value of `CHROMIUM`, or one in a usual place; null if there is none. */
export function findChromium(): string | null {
  const { CHROMIUM } = process.env;
  return CHROMIUM || (usualPlaces.find((path) => existsSync(path)) ?? null);
}

/**
 * Like `findChromium`, but installs Chromium first if it is missing and this process runs as root on Debian, as in a
 * container.
 */
export function ensureChromium(): string | null {
  const present = findChromium();
  if (present !== null || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return present;
  console.log('Installing Chromium …');
  const options = {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const;
  spawnSync('apt-get', ['update'], options);
  const packages = ['chromium', 'fonts-dejavu-core'];
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], options);
  return findChromium();
}
