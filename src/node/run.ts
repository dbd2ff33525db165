import { logFault, stackOf } from '../telemetry/log.ts';
import { runCommand } from './commands.ts';
import { startServer } from './server.ts';
import { ask, logAsLines } from './terminal.ts';

/** How long health says that the server is stopping, before it stops, in milliseconds: load balancers ask every few seconds. */
const notice = 5000;

/**
 * Serves with the settings of the environment until a signal ends this process. With arguments, it is a command
 * (commands.ts).
 */
export async function run(args: readonly string[]): Promise<void> {
  if (args.length === 0) await serve();
  else process.exitCode = await runCommand(args, process.env);
}

async function serve(): Promise<void> {
  logAsLines(console);
  // Of a promise that nobody waits for, others know nothing: they are served on, as on Workers.
  process.on('unhandledRejection', (reason) => {
    logFault('unhandled_rejection', { error: stackOf(reason) ?? String(reason) });
  });
  // A terminal that was closed, or a full disk below a log, ends no server.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const server = await startServer(process.env, {
    show: (text) => process.stdout.write(text),
    ask: isTerminal ? ask : null,
  }).catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
  let isStopping = false;
  const stop = (patience: number) => {
    // Asked again, it ends as it is: nothing that was acknowledged is lost.
    if (isStopping) process.exit(1);
    isStopping = true;
    server.stop(patience).then(
      () => process.exit(0),
      (error: Error) => {
        console.error(error.stack);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => stop(notice));
  // Nobody waits at the terminal for load balancers.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(0));
}
