import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { jpegtranBuild } from '../codecs/native-program.ts';

/** What the figures were measured on, as lines of a list. */
export function machine(): readonly string[] {
  const [first] = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(1);
  return [
    `${first?.model ?? 'unknown processor'}, ${availableParallelism()} cores, ${memory} GiB`,
    `${process.platform} ${process.arch}, Node ${process.versions.node}, workerd ${versionOf('workerd')}`,
    `beside it: ${peers.map((name) => `${name} ${versionOf(name)}`).join(', ')}`,
    `libvips ${sharp.versions.vips}, MozJPEG ${sharp.versions.mozjpeg}, libaom ${sharp.versions.aom}, libwebp ${sharp.versions.webp} in sharp`,
    `programs: ${[`jpegtran ${jpegtranBuild()}`, ...programs.map(([name, flag]) => `${name} ${versionOfProgram(name, flag)}`)].join(', ')}`,
  ];
}

const peers = [
  'sharp',
  '@jsquash/jpeg',
  '@jsquash/png',
  '@jsquash/oxipng',
  '@jsquash/webp',
  '@jsquash/avif',
  '@jsquash/resize',
];

const programs = [
  ['pngquant', '--version'],
  ['cwebp', '-version'],
  ['avifenc', '--version'],
] as const;

function versionOfProgram(name: string, flag: string): string {
  const { error, stdout, stderr } = spawnSync(name, [flag], { encoding: 'utf8' });
  if (error) return 'not installed';
  return /\d+(\.\d+)+/.exec(stdout + stderr)?.[0] ?? 'of unknown version';
}

const require = createRequire(import.meta.url);

/** Packages need not export their package.json, so it is looked for from where they lie. */
function versionOf(name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')).version;
    } catch {}
  }
  return 'unknown';
}
