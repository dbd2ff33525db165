import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { experimental_readRawConfig } from 'wrangler';
import { deploy, readDeployOptions, type Wrangler } from '../../../scripts/local/deployment.ts';
import { root } from '../../../scripts/local/root.ts';
import { readConfig } from '../../../src/config.ts';

const { rawConfig } = experimental_readRawConfig({ config: join(root, 'wrangler.toml') });
const example = parseEnv(readFileSync(join(root, '.dev.vars.example'), 'utf8'));

describe('a deploy', () => {
  it('with the placeholders of .dev.vars.example fails, and names all secrets', () => {
    expect(Object.keys(example).sort()).toEqual(rawConfig.secrets?.required?.toSorted());
    const read = () => readConfig({ ...rawConfig.vars, ...example });
    expect(read).toThrow(
      /CODE_SECRET: should be 32 bytes[\s\S]*KEY_SECRETS: should be "version[\s\S]*TOKEN_SECRETS: should be "version/,
    );
  });
});

/** Wrangler's output in an account in which everything exists. */
const answers: Readonly<Record<string, string>> = {
  'secret list': JSON.stringify([
    { name: 'KEY_SECRETS' },
    { name: 'CODE_SECRET' },
    { name: 'TOKEN_SECRETS' },
  ]),
  'd1 migrations list': 'No migrations to apply!',
};

/** Runs the steps; returns the wrangler commands, and the error message if there was one. */
function steps(
  options: readonly string[],
  changes: Readonly<Record<string, string | Error>> = {},
): { asked: string[]; complaint: string | null; warnings: string[] } {
  const [asked, warnings]: [string[], string[]] = [[], []];
  const wrangler: Wrangler = (args) => {
    const text = args.join(' ');
    asked.push(text);
    for (const [step, answer] of [...Object.entries(changes), ...Object.entries(answers)]) {
      if (!text.startsWith(step)) continue;
      if (answer instanceof Error) throw answer;
      return answer;
    }
    return '';
  };
  try {
    deploy(readDeployOptions(options, {}), wrangler, (line) => warnings.push(line));
    return { asked, complaint: null, warnings };
  } catch (error) {
    return { asked, complaint: (error as Error).message, warnings };
  }
}

/** Runs the steps with a changed wrangler.toml. */
function withConfiguration(text: string, other: string, options: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'configuration-'));
  const config = join(folder, 'wrangler.toml');
  const toml = readFileSync(join(root, 'wrangler.toml'), 'utf8');
  writeFileSync(config, toml.replace(text, other));
  try {
    return steps([...options, '--config', config]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const all = [
  'deploy --dry-run',
  'secret list --format json',
  'd1 migrations apply DB --remote',
  'd1 migrations list DB --remote',
  'deploy',
];

describe('the steps of a deploy', () => {
  it('are build, secrets, migrations, Worker', () => {
    expect(steps([])).toMatchObject({ asked: all, complaint: null });
    expect(steps(['--dry-run'])).toMatchObject({ asked: all.slice(0, 1), complaint: null });
  });

  it('warn of a sender that is an example, and of no other', () => {
    const complaint = /^MAIL_FROM is still an example/;
    expect(steps(['--dry-run']).warnings).toEqual([expect.stringMatching(complaint)]);
    expect(withConfiguration('@example.com', '@img.example', ['--dry-run']).warnings).toEqual([]);
  });

  it.each(all.slice(0, 4))('end where "%s" fails', (step) => {
    const { asked, complaint } = steps([], { [step]: new Error('no such thing') });
    expect(asked).toEqual(all.slice(0, all.indexOf(step) + 1));
    expect(complaint).toContain('no such thing');
  });

  it('end when migrations are left, as when they were asked about and the answer was no', () => {
    const { asked, complaint } = steps([], {
      'd1 migrations list': 'Migrations to be applied: 0002',
    });
    expect(asked).toEqual(all.slice(0, 4));
    expect(complaint).toBe('Stopped: the database lacks migrations that this version needs.');
  });

  it('end before the database where a secret is missing, or there is no Worker', () => {
    const without = steps([], { 'secret list': JSON.stringify([{ name: 'CODE_SECRET' }]) });
    expect(without.asked).toEqual(all.slice(0, 2));
    expect(without.complaint).toBe(
      'Stopped: put KEY_SECRETS and TOKEN_SECRETS with "wrangler secret put" first.',
    );
    const none = steps([], { 'secret list': new Error('not found') });
    expect(none.asked).toEqual(all.slice(0, 2));
    expect(none.complaint).toContain('put its secrets first');
  });

  it('do not begin with the pattern that finds no numbered migration', () => {
    const binding = 'binding = "DB"\n';
    const former = 'migrations_dir = "."\nmigrations_pattern = "./schema.sql"\n';
    const { asked, complaint } = withConfiguration(binding, `${binding}${former}`);
    expect(asked).toEqual([]);
    expect(complaint).toContain('take migrations_pattern');
  });

  it('all go to the same place', () => {
    const { asked } = steps(['--config', 'wrangler.toml']);
    expect(asked).toEqual(all.map((step) => `${step} --config wrangler.toml`));
    expect(readDeployOptions(['--env', 'staging'], {})).toEqual({
      ...{ isDryRun: false, env: 'staging', config: undefined },
    });
  });
});

describe('options of a deploy', () => {
  it.each(['--dry-run=true', '--dryRun', '--no-dry-run', '-n', 'dry-run', '--minify', '--env'])(
    'do not have %s, which runs nothing',
    (option) => {
      const { asked, complaint } = steps([option]);
      expect(asked).toEqual([]);
      expect(complaint).not.toBeNull();
    },
  );

  it.each([
    ['dry_run', 'true'],
    ['env', 'staging'],
    ['config', 'other.toml'],
  ])('are refused where npm has kept %s for itself', (name, value) => {
    expect(() => readDeployOptions([], { [`npm_config_${name}`]: value })).toThrow(/after "--"/);
  });

  it('that are wrong are answered with how it is used', { tags: 'slow' }, () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'scripts/deploy.ts'), '--dry-run=true'],
      { encoding: 'utf8' },
    );
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: npm run deploy');
  });
});

describe('what the "Deploy to Cloudflare" button shows', () => {
  const { cloudflare } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    cloudflare: { bindings: Record<string, { description: string }> };
  };

  it('describes every binding, variable and required secret, and nothing else', () => {
    const { d1_databases, kv_namespaces, r2_buckets, send_email, ratelimits } = rawConfig;
    const named = [
      ...[d1_databases, kv_namespaces, r2_buckets, send_email, ratelimits].flatMap(namesOf),
      rawConfig.assets?.binding,
      ...Object.keys(rawConfig.vars ?? {}),
      ...(rawConfig.secrets?.required ?? []),
    ];
    expect(Object.keys(cloudflare.bindings).sort()).toEqual(named.sort());
    for (const { description } of Object.values(cloudflare.bindings)) {
      expect(description.length).toBeGreaterThan(20);
    }
  });
});

function namesOf(bindings: readonly { binding?: string; name?: string }[] = []) {
  return bindings.map(({ binding, name }) => binding ?? name);
}
