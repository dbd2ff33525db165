import type { Config } from '../../../context.ts';
import { sourceHost } from './source-host.ts';

/** What a deployment lets its customers name as the place of an image. */
export interface SourceRules {
  /** Plain http besides https. */
  readonly allowHttp: boolean;
  /** Each `host:port`; exempt from the rules for hosts, addresses and ports. */
  readonly privateSources: ReadonlySet<string>;
  /** Names that this service answers under itself, as `sourceHost` gives them. */
  readonly ownHosts: ReadonlySet<string>;
}

export type SourceSettings = Pick<Config, 'allowHttpSources' | 'privateSources' | 'publicOrigin'>;

/** @param requestUrl of the request that asks for the image; its host is one of ours */
export function sourceRules(
  { allowHttpSources, privateSources, publicOrigin }: SourceSettings,
  requestUrl: string,
): SourceRules {
  const own = [requestUrl, publicOrigin ?? requestUrl];
  return {
    allowHttp: allowHttpSources,
    privateSources,
    ownHosts: new Set(own.map((url) => sourceHost(new URL(url)).name)),
  };
}
