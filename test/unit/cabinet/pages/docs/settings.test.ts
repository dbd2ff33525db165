import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { secrets, variables } from '../../../../../src/cabinet/pages/docs/settings.ts';

const root = join(import.meta.dirname, '../../../../..');
const toml = readFileSync(join(root, 'wrangler.toml'), 'utf8');
const [, section = ''] = toml.split('\n[vars]\n');
const [vars = ''] = section.split('\n[secrets]\n');

describe('the settings of the documentation', () => {
  it('are the variables of wrangler.toml', () => {
    const configured = Array.from(vars.matchAll(/^([A-Z_]+) = /gm), ([, name]) => name);
    expect(variables.map(({ name }) => name).sort()).toEqual(configured.sort());
  });

  it('have the defaults of wrangler.toml, but for those that are too long for a table', () => {
    const short = Array.from(vars.matchAll(/^([A-Z_]+) = "([^"\n]*)"$/gm), ([, name, value]) => [
      name,
      value,
    ]);
    expect(short.length).toBeGreaterThan(8);
    const documented = Object.fromEntries(variables.map(({ name, fallback }) => [name, fallback]));
    expect(documented).toMatchObject(Object.fromEntries(short));
  });

  it('are the secrets of .dev.vars.example', () => {
    const example = readFileSync(join(root, '.dev.vars.example'), 'utf8');
    const named = Array.from(example.matchAll(/^(?:# )?([A-Z_]+)=/gm), ([, name]) => name);
    expect(secrets.map(({ name }) => name)).toEqual(named);
  });
});
