import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A browser for tests. */
interface Browser {
  /** Environment variable with its path. */
  readonly variable: string;
  /** Usual install paths on development systems. */
  readonly usualPlaces: readonly string[];
  /** Debian's packages. */
  readonly packages: readonly string[];
}

const chromium: Browser = {
  variable: 'CHROMIUM',
  usualPlaces: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  ],
  packages: ['chromium', 'fonts-dejavu-core'],
};

const firefox: Browser = {
  variable: 'FIREFOX',
  usualPlaces: [
    '/usr/bin/firefox-esr',
    '/usr/bin/firefox',
    '/Applications/Firefox.app/Contents/MacOS/firefox',
    'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
  ],
  packages: ['firefox-esr'],
};

/** Path of a Chromium-based browser: the value of `CHROMIUM`, or one in a usual place; null if there is none. */
export const findChromium = () => find(chromium);

/** Path of a Firefox: the value of `FIREFOX`, or one in a usual place; null if there is none. */
export const findFirefox = () => find(firefox);

/**
 * Like `findChromium`, but installs Chromium first if it is missing and this process runs as root on Debian, as in a
 * container.
 */
export const ensureChromium = () => findChromium() ?? installed(chromium);

/** The same for Firefox. */
export const ensureFirefox = () => findFirefox() ?? installed(firefox);

function find({ variable, usualPlaces }: Browser): string | null {
  return process.env[variable] || (usualPlaces.find((path) => existsSync(path)) ?? null);
}

function installed(browser: Browser): string | null {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return null;
  console.log(`Installing ${browser.packages[0]} …`);
  const options = {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const;
  spawnSync('apt-get', ['update'], options);
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...browser.packages], options);
  return find(browser);
}
