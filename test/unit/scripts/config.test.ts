import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { experimental_readRawConfig } from 'wrangler';
import { localConfig, requiring } from '../../../scripts/local/secrets.ts';

describe('the configuration of the local service', () => {
  it('is wrangler.toml where there are no secrets besides the required ones', () => {
    expect(basename(localConfig([]))).toBe('wrangler.toml');
  });

  it('requires the optional secrets that are there, and is the same for the rest', () => {
    const { rawConfig } = experimental_readRawConfig({ config: localConfig([]) });
    const optional = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'];
    expect(requiring(rawConfig, optional)).toEqual({
      ...rawConfig,
      secrets: { required: ['CODE_SECRET', 'KEY_SECRETS', 'TOKEN_SECRETS', ...optional] },
    });
  });
});
