import manifest from '../package.json' with { type: 'json' };

/** Stands for the engine's code: the build puts its hash here (rolldown.config.ts). */
declare const ENGINE_HASH: string | undefined;

/** Name and version of the package, from package.json, and what tells its engine from that of another build. */
export const identity = {
  name: manifest.name,
  version: manifest.version,
  engine: typeof ENGINE_HASH === 'string' ? ENGINE_HASH : 'source',
} as const;
