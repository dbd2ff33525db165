import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deviceLife } from '../../../src/access/device.ts';
import { outputLife } from '../../../src/access/output-id.ts';
import { sessionLife } from '../../../src/access/session.ts';
import { codeLife } from '../../../src/access/sign-in-code.ts';
import { settingWords } from '../../../src/cabinet/pages/docs/text-page.ts';
import { countText } from '../../../src/cabinet/text/formatting.ts';
import { maxProfileBytes } from '../../../src/image/color/icc-reader.ts';
import { inputFacts, namesOf, outputFacts } from '../../../src/image/formats/facts.ts';
import { maxTextBytes } from '../../../src/image/formats/png/metadata.ts';
import { maxBlockBytes } from '../../../src/image/metadata/metadata.ts';
import {
  maxAnimationFrames,
  maxAnimationPixels,
} from '../../../src/image/pipeline/animation/plan-animation.ts';
import { maxPixels } from '../../../src/image/pipeline/predicted-memory.ts';
import { maxCpuMs } from '../../../src/image/wasm/budgets.ts';
import { reservationLife, setLife } from '../../../src/meter/messages.ts';
import {
  answerLimits,
  apiKeyLimits,
  bodyLimits,
  codePolicy,
  deliveryLimits,
  keyLogLimits,
  maxMonthlyLimit,
  maxOverlapHours,
  siteLimits,
  unpaidCheckouts,
} from '../../../src/policy/limits.ts';
import { monthsKeptByDay } from '../../../src/policy/quota.ts';
import { labelLimits } from '../../../src/routes/keys/key-fields.ts';
import { fetchTimeout, maxRedirects } from '../../../src/routes/optimize/remote/fetch-image.ts';
import { maxRangeDays } from '../../../src/routes/statistics.ts';
import { settings as defaults } from '../../../src/settings.ts';
import { maxSliceRows, maxStatements } from '../../../src/store/expired.ts';
import { maxKvFileBytes } from '../../../src/store/outputs.ts';
import { perRun } from '../../../src/store/site-upkeep.ts';

const root = join(import.meta.dirname, '../../..');
const second = 1000;
const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const { requests, live, wrong, tries } = codePolicy;

/** The values of `<!-- limit: name -->` in `docs/`: constants of the code, in human-readable units. */
export const limits: Readonly<Record<string, number | string>> = {
  fileMebibytes: bodyLimits.maxFileBytes / mebibyte,
  jsonKibibytes: bodyLimits.maxJsonBytes / kibibyte,
  jsonMebibytes: (bodyLimits.poolBytes - bodyLimits.drainBytes) / mebibyte,
  smallSeconds: bodyLimits.smallTimeout / second,
  stallSeconds: bodyLimits.stallTimeout / second,
  answerStallSeconds: answerLimits.stallTimeout / second,
  answerKibibytes: answerLimits.minBytesPerSecond / kibibyte,
  bodySeconds: bodyLimits.totalTimeout / second,
  profileMebibytes: maxProfileBytes / mebibyte,
  pngTextMebibytes: maxTextBytes / mebibyte,
  metadataKibibytes: maxBlockBytes / kibibyte,
  megapixels: maxPixels / 1e6,
  animationFrames: maxAnimationFrames,
  animationMegapixels: maxAnimationPixels / 1e6,
  cpuSeconds: maxCpuMs / second,
  inputFormats: namesOf(inputFacts, 'or'),
  longestSides: outputFacts
    // A PNG may be longer than any image that fits.
    .filter(({ output }) => output.longestSide < 1e6)
    .map(({ name, output }) => `${countText(output.longestSide)} pixels for ${name}`)
    .join(', '),
  reservationMinutes: reservationLife / (60 * second),
  setMinutes: setLife / (60 * second),
  checkoutsPerDay: unpaidCheckouts.events,
  outputMinutes: outputLife / 60_000,
  outputMebibytes: maxKvFileBytes / mebibyte,
  redirects: maxRedirects,
  fetchSeconds: fetchTimeout / second,
  activeKeys: apiKeyLimits.active,
  overlappingKeys: apiKeyLimits.overlapping,
  overlapHours: maxOverlapHours,
  highestCap: maxMonthlyLimit,
  keyRecords: apiKeyLimits.records,
  loggedRequests: keyLogLimits.requests,
  loggedDays: keyLogLimits.days,
  sites: siteLimits.perAccount,
  resultsPerPath: siteLimits.unsignedResultsPerPath,
  keptDays: deliveryLimits.keptUnread / (24 * 60 * 60 * second),
  nameCharacters: labelLimits.name,
  commentCharacters: labelLimits.comment,
  statisticsDays: maxRangeDays,
  monthsKeptByDay,
  clearingRows: maxSliceRows,
  clearingStatements: maxStatements,
  publishedPerHour: perRun.published,
  codeMinutes: codeLife / 60,
  codePauseSeconds: requests.coolDown.window / second,
  codesPerHour: requests.perAddress.events,
  codesPerHourHere: requests.perAddressAndNetwork.events,
  mailsPerHour: requests.perNetwork.events,
  codesPerHourOfDevice: requests.perDevice.events,
  wrongCodesOfDevice: wrong.perDevice.events,
  codesPerDayOfDevices: requests.devicesPerAddress.events,
  mailsPerHourOfDevices: requests.devicesPerNetwork.events,
  triesPerHour: tries.events,
  deviceDays: deviceLife / (24 * 60 * 60),
  liveCodes: live,
  codeTries: wrong.perChallenge,
  wrongCodesPerHour: wrong.perNetwork.events,
  reservedDays: siteLimits.reservedDays,
  sessionDays: sessionLife / (24 * 60 * 60),
};

const toml = readFileSync(join(root, 'wrangler.toml'), 'utf8');

/** The values of `<!-- setting: name -->`: the defaults in words. */
export const settings: Readonly<Record<string, string>> = settingWords({
  freeFilesPerMonth: Number(defaults.FREE_FILES_PER_MONTH.default),
  maxFilesPerMinute: Number(defaults.MAX_FILES_PER_MINUTE.default),
  maxNewResultsPerMinute: Number(defaults.MAX_NEW_RESULTS_PER_MINUTE.default),
  unchargedPerDay: Number(defaults.UNCHARGED_PER_DAY.default),
  mailsPerDay: Number(defaults.MAILS_PER_DAY.default),
  unchargedCpuMsPerDay: 1000 * Number(defaults.UNCHARGED_CPU_SECONDS_PER_DAY.default),
  allowHttpSources: defaults.ALLOW_HTTP_SOURCES.default !== '',
  tinifyApi: defaults.TINIFY_API.default === 'on',
  keyLog: defaults.KEY_LOG.default === 'on',
  keepsResults: /^binding = "RESULTS"$/m.test(toml),
  isOnNode: false,
  // The text on GitHub is that of a deployment that sells the packs.
  stripe: {},
  packs: JSON.parse(defaults.QUOTA_PACKS.default),
});

/** The requests per minute that a rate limit binding of wrangler.toml allows. */
export function requestsPerMinute(binding: string): number {
  const [, limit] =
    new RegExp(
      `^name = "${binding}"\\nnamespace_id = "\\d+"\\nsimple = \\{ limit = (\\d+), period = 60 \\}$`,
      'm',
    ).exec(toml) ?? [];
  if (limit === undefined) throw new Error(`wrangler.toml has no rate limit ${binding}.`);
  return Number(limit);
}

/** The names of all rate limits of wrangler.toml. */
export const rateLimitBindings: readonly string[] = Array.from(
  toml.matchAll(/^\[\[ratelimits\]\]\nname = "(\w+)"$/gm),
  ([, name = '']) => name,
);
