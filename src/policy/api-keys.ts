/** How many keys a user may have: active ones, and records in all. */
export const apiKeyLimits = { active: 50, records: 1000 } as const;
export type ApiKeyLimits = Readonly<Record<keyof typeof apiKeyLimits, number>>;
