import { sessionLife } from '../../access/session.ts';
import { codeLife } from '../../access/sign-in-code.ts';
import type { Limits } from '../../cabinet/pages/docs/limits/limits.ts';
import type { Config } from '../../context.ts';
import { maximumProfileBytes } from '../../image/containers/icc-profile.ts';
import { maximumBlockBytes } from '../../image/containers/metadata-block.ts';
import { mostTextBytes } from '../../image/containers/png-bombs.ts';
import { mostPixels } from '../../image/jobs/peak.ts';
import { apiKeyLimits } from '../../policy/api-keys.ts';
import { unpaidCheckouts } from '../../policy/checkouts.ts';
import { codePolicy } from '../../policy/throttle.ts';
import { reservationLife } from '../../store/reservations.ts';
import { jsonLimit } from '../bodies/json-bytes.ts';
import { stallLimit, totalLimit } from '../bodies/patient-reader.ts';
import { labelLimits } from '../keys/labels.ts';
import { fileLimit } from '../optimize/held-bytes.ts';
import { redirectLimit } from '../optimize/remote/fetch-source.ts';
import { fetchTimeLimit } from '../optimize/remote/remote-image.ts';
import { longestRange } from '../statistics.ts';

const second = 1000;
const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** The limits of this deployment in units for people. */
export function limitsOf(config: Config): Limits {
  const { requests, live, wrong } = codePolicy;
  return {
    sizes: {
      fileMebibytes: fileLimit / mebibyte,
      jsonKibibytes: jsonLimit / kibibyte,
      stallSeconds: stallLimit / second,
      bodySeconds: totalLimit / second,
      profileMebibytes: maximumProfileBytes / mebibyte,
      pngTextMebibytes: mostTextBytes / mebibyte,
      metadataKibibytes: maximumBlockBytes / kibibyte,
      megapixels: mostPixels / 1e6,
    },
    quota: {
      freeFilesPerMonth: config.freeFilesPerMonth,
      unchargedPerDay: config.unchargedPerDay,
      reservationMinutes: reservationLife / (60 * second),
      checkoutsPerDay: unpaidCheckouts.events,
    },
    urls: {
      fetchesHttp: config.allowHttpSources,
      redirects: redirectLimit,
      fetchSeconds: fetchTimeLimit / second,
    },
    keys: {
      active: apiKeyLimits.active,
      records: apiKeyLimits.records,
      nameCharacters: labelLimits.name,
      commentCharacters: labelLimits.comment,
      statisticsDays: longestRange,
    },
    signIn: {
      codeMinutes: codeLife / 60,
      codePauseSeconds: requests.perAddress.window / second,
      codesPerHour: requests.perAddressHourly.events,
      codesPerHourHere: requests.perAddressAndNetwork.events,
      mailsPerHour: requests.perNetwork.events,
      liveCodes: live,
      codeTries: wrong.perChallenge,
      wrongCodesPerHour: wrong.perNetwork.events,
      sessionDays: sessionLife / (24 * 60 * 60),
    },
  };
}
