import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Where the systems that people develop on put a browser of Chromium's family. */
const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** A browser to test with: what `CHROMIUM` names, or one in its usual place; null: there is none. */
export function findChromium(): string | null {
  const { CHROMIUM } = process.env;
  return CHROMIUM || (usualPlaces.find((path) => existsSync(path)) ?? null);
}

/** The same; on a Debian where we may, as in a container, it is installed first. */
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
