import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bindings, rateLimits, settings } from '../../src/settings.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const toml = read('wrangler.toml');

interface Setting {
  readonly kind: 'variable' | 'required-secret' | 'optional-secret';
  readonly default: string | null;
  readonly description: string;
}

const all = Object.entries<Setting>(settings);
const variables = all.filter(([, { kind }]) => kind === 'variable');
const required = all.filter(([, { kind }]) => kind === 'required-secret');
const optional = all.filter(([, { kind }]) => kind === 'optional-secret');

/** Collapses white space, which is insignificant in lists and JSON. */
const squeezed = (text: string | null) => text?.replace(/\s+/g, ' ').trim();

/** Comment lines as one text. */
const uncommented = (lines: string) => lines.replace(/^# /gm, '').replaceAll('\n', ' ').trim();

describe('the table of settings', () => {
  it('has the variables of wrangler.toml, with their defaults and comments', () => {
    const [, section = ''] = toml.split('\n[vars]\n');
    const [vars = ''] = section.split('\n[secrets]\n');
    const entries = vars.matchAll(/((?:^# .*\n)+)^(\w+) = (?:"""([^"]*(?:"[^"]+)*)"""|"(.*)")$/gm);
    const found = Array.from(entries, ([, comment = '', name, long, short = '']) => [
      name,
      squeezed(long ?? short),
      uncommented(comment),
    ]);
    const expected = variables.map(([name, setting]) => [
      name,
      squeezed(setting.default),
      setting.description,
    ]);
    expect(found).toEqual(expected);
  });

  it('has the secrets that wrangler.toml requires', () => {
    const [, names = ''] = /^required = \[(.*)\]$/m.exec(toml) ?? [];
    expect(JSON.parse(`[${names}]`)).toEqual(required.map(([name]) => name));
  });

  it('has the secrets of .dev.vars.example, with their comments', () => {
    const entries = read('.dev.vars.example').matchAll(/((?:^# .*\n)+?)^(# )?([A-Z_]+)="<?.*>"$/gm);
    const found = Array.from(entries, ([, comment = '', isOptional, name = '']) => ({
      name,
      comment: uncommented(comment),
      isOptional: isOptional !== undefined,
    }));
    expect(found.map(({ name, isOptional }) => [name, isOptional])).toEqual([
      ...required.map(([name]) => [name, false]),
      ...optional.map(([name]) => [name, true]),
    ]);
    const descriptions = new Map(all.map(([name, { description }]) => [name, description]));
    for (const { name, comment } of found) {
      expect(comment.endsWith(descriptions.get(name) ?? '-'), name).toBe(true);
    }
  });

  it('has the texts of the deploy button in package.json', () => {
    const { cloudflare } = JSON.parse(read('package.json')) as {
      cloudflare: { bindings: Record<string, { description: string }> };
    };
    const limits = Object.entries(rateLimits).map(([name, { what, per }]) => [
      name,
      `${what} per minute and location, counted by ${per}.`,
    ]);
    const texts = [...variables, ...required].map(([name, { description }]) => [name, description]);
    const expected = { ...bindings, ...Object.fromEntries(limits), ...Object.fromEntries(texts) };
    const shown = Object.entries(cloudflare.bindings).map(([name, it]) => [name, it.description]);
    expect(Object.fromEntries(shown)).toEqual(expected);
  });
});

it('the table of rate limits has those of wrangler.toml', () => {
  const found = toml.matchAll(
    /^name = "(\w+_RATE_LIMIT)"\nnamespace_id = "\d+"\nsimple = \{ limit = (\d+), period = 60 \}$/gm,
  );
  const expected = Object.entries(rateLimits).map(([name, { perMinute }]) => [name, perMinute]);
  expect(Array.from(found, ([, name, limit]) => [name, Number(limit)])).toEqual(expected);
});
