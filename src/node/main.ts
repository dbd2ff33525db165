// Built, it is `server.js`. An older Node fails at imports that it does not know, before a line of ours runs, so that everything
// is imported after this check. `import.meta.main` came with Node 24.2.
if (import.meta.main === undefined) {
  console.error(`The service needs Node 24.2 or later; this is ${process.version}.`);
  process.exit(1);
}

export const { startServer } = await import('./server.ts');

if (import.meta.main) {
  const { run } = await import('./run.ts');
  await run(process.argv.slice(2));
}
