import { sessionLife } from '../../access/session.ts';
import { codeLife } from '../../access/sign-in-code.ts';
import type { Limits } from '../../cabinet/pages/docs/limits/limits.ts';
import type { Config } from '../../config.ts';
import { maximumProfileBytes } from '../../image/color/stored-profile.ts';
import { mostTextBytes } from '../../image/formats/png/metadata.ts';
import { maximumBlockBytes } from '../../image/metadata/metadata.ts';
import { mostPixels } from '../../image/pipeline/predicted-memory.ts';
import { apiKeyLimits, bodyLimits, codePolicy, unpaidCheckouts } from '../../policy/limits.ts';
import { reservationLife } from '../../store/reservations.ts';
import { labelLimits } from '../keys.ts';
import { fileLimit } from '../optimize/held-body.ts';
import { fetchTimeLimit, redirectLimit } from '../optimize/remote/fetch-image.ts';
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
      jsonKibibytes: bodyLimits.maxJsonBytes / kibibyte,
      stallSeconds: bodyLimits.stallTimeout / second,
      bodySeconds: bodyLimits.totalTimeout / second,
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
