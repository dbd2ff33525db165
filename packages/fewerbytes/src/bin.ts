#!/usr/bin/env node
import { help, type RunCommand, readCommand } from './command/flags.ts';
import { HtmlReporter, JsonReporter, type Reporter, TextReporter } from './command/reporter.ts';
import { exitCodeOf, exitCodes } from './command/texts.ts';
import { optimizeFiles, type RunSettings } from './files/run.ts';
import { watchFiles } from './files/watch.ts';
import { identity } from './identity.ts';

// Where the report goes may be closed, as by `2>&1 >pages.html | head`: what goes to standard output is still of use.
process.stderr.on('error', () => {});
process.exitCode = await main();

async function main(): Promise<number> {
  const command = readCommand(process.argv.slice(2), process.env);
  switch (command.kind) {
    case 'help':
      process.stdout.write(help);
      return exitCodes.done;
    case 'version':
      process.stdout.write(`${identity.version}\n`);
      return exitCodes.done;
    case 'wrong':
      process.stderr.write(`${command.message}\nSee: ${identity.name} --help\n`);
      return exitCodes.usage;
    case 'run':
      return run(command);
    default:
      return command satisfies never;
  }
}

async function run({ kind: _, ...command }: RunCommand): Promise<number> {
  const { inputs, watch, json, html, ...rest } = command;
  const reporter = reporterFor({ json, html });
  const interruption = interruptible();
  const settings: RunSettings = {
    ...rest,
    signal: interruption.signal,
    onEvent: (event) => reporter.event(event),
  };
  if (!watch) {
    const summary = await optimizeFiles(inputs, settings);
    reporter.summary(summary);
    return interruption.code() ?? exitCodeOf(summary);
  }
  const last = await watchFiles(inputs, settings, (summary) => {
    if (summary.isCancelled) return;
    reporter.summary(summary);
    reporter.note('Watching. Ctrl-C ends it.');
  });
  if (last.isCancelled) reporter.note('Every file is whole.');
  return interruption.code() ?? exitCodeOf(last);
}

function reporterFor({ json, html }: Pick<RunCommand, 'json' | 'html'>): Reporter {
  if (json) return new JsonReporter(process.stdout);
  if (!html) return new TextReporter(process.stdout);
  // so that the markup can go into a file
  return new HtmlReporter(process.stdout, new TextReporter(process.stderr));
}

/** The first signal ends the work in progress and leaves every file whole; the second one ends the process. */
function interruptible() {
  const controller = new AbortController();
  let code: number | null = null;
  const codes = { SIGINT: exitCodes.interrupted, SIGTERM: 143, SIGHUP: 129 } as const;
  for (const [name, value] of Object.entries(codes)) {
    process.once(name, () => {
      code = value;
      controller.abort();
    });
  }
  // `… | head` closes the pipe: nobody is reading any more, so stop
  process.stdout.on('error', () => controller.abort());
  return { signal: controller.signal, code: () => code };
}
