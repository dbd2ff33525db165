import type { Child } from 'hono/jsx';

interface Field {
  readonly name: string;
  readonly type?: Child;
  readonly isRequired?: boolean;
  readonly children?: Child;
}

/** Named values with their types and meanings; what is inside one of them stands indented below it. */
export function Fields({ fields }: { fields: readonly Field[] }) {
  return (
    <dl class="fields">
      {fields.map(({ name, type, isRequired, children }) => (
        <div key={name}>
          <dt>
            <code>{name}</code>
            {type && <span class="field-type">{type}</span>}
            {isRequired && <span class="field-required">required</span>}
          </dt>
          <dd>{children}</dd>
        </div>
      ))}
    </dl>
  );
}
