/** What the deployment and the code decide; counts, unless the name says otherwise. */
export interface Limits {
  readonly sizes: {
    readonly fileMebibytes: number;
    readonly jsonKibibytes: number;
    /** How long an upload may stall, and how long it may take in all. */
    readonly stallSeconds: number;
    readonly bodySeconds: number;
    readonly profileMebibytes: number;
    readonly pngTextMebibytes: number;
    /** Of one block of metadata that is carried on. */
    readonly metadataKibibytes: number;
    readonly megapixels: number;
  };
  readonly quota: {
    readonly freeFilesPerMonth: number;
    readonly unchargedPerDay: number;
    readonly reservationMinutes: number;
    readonly checkoutsPerDay: number;
  };
  readonly urls: {
    readonly fetchesHttp: boolean;
    readonly redirects: number;
    readonly fetchSeconds: number;
  };
  readonly keys: {
    readonly active: number;
    readonly records: number;
    readonly nameCharacters: number;
    readonly commentCharacters: number;
    readonly statisticsDays: number;
  };
  readonly signIn: {
    readonly codeMinutes: number;
    readonly codePauseSeconds: number;
    readonly codesPerHour: number;
    /** From one network. */
    readonly codesPerHourHere: number;
    readonly mailsPerHour: number;
    readonly liveCodes: number;
    readonly codeTries: number;
    readonly wrongCodesPerHour: number;
    readonly sessionDays: number;
  };
}
