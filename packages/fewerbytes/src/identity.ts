import manifest from '../package.json' with { type: 'json' };

/** Name and version of the package, from package.json. */
export const identity = { name: manifest.name, version: manifest.version } as const;
