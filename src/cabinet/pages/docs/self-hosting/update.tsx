import { CodeBlock } from '../../code-block.tsx';
import { selfHostingCode as code } from '../self-hosting-code.ts';

/** From one version to the next, and back. */
export function Update() {
  return (
    <>
      <CodeBlock label="Update" code={code.update} />
      <p>
        <code>npm run deploy</code> checks variables and build, sees whether the required secrets
        are set, applies the migrations that the database lacks, and then deploys; what fails stops
        it there, and so does saying no to the migrations. Migrations only add: the old Worker goes
        on serving with the new tables until the new one is up. Each is applied once and as a whole;
        one that fails leaves the database as it was. Local data are brought up to date by{' '}
        <code>npm start</code> and by every command.
      </p>
      <p>
        For an environment of your <code>wrangler.toml</code> add <code>-- --env staging</code>, for
        another file <code>-- --config</code> and its name. Other options are refused. If your{' '}
        <code>wrangler.toml</code> is from before migrations were numbered, take the lines{' '}
        <code>migrations_dir = "."</code> and <code>migrations_pattern = "./schema.sql"</code> out
        of it: with them no migration would be found, so the deploy stops.
      </p>
      <p>
        Since migrations only add, you can go back to the Worker before without touching the
        database:
      </p>
      <CodeBlock label="Go back" code={code.rollback} />
      <p>
        Data that were damaged can be had back as they were at any minute of the last 30 days, but
        everything that came later is lost then, payments and revocations included.
      </p>
    </>
  );
}
