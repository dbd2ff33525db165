import { useRef } from 'preact/hooks';
import { selectTextOf } from '../copy-text.ts';
import { CopyButton } from './copy-button.tsx';

/** Code under its name, to be copied. */
export function CodeBlock({ name, code }: { name: string; code: string }) {
  const place = useRef<HTMLElement>(null);
  return (
    <div class="code-block">
      <div class="code-head">
        <span>{name}</span>
        <CopyButton
          text={code}
          subject={name}
          onRefused={() => place.current && selectTextOf(place.current)}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled to, by keyboard too */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would take the place of pre */}
      <pre tabIndex={0} role="region" aria-label={name}>
        <code ref={place}>{code}</code>
      </pre>
    </div>
  );
}
