import { codeClass } from '../../text/formatting.ts';

/** Renders CommonMark text of the OpenAPI document, as far as `markedBlocks` supports it. */
export function Marked({ text }: { text: string }) {
  return (
    <>
      {markedBlocks(text).map((block, index) =>
        block.kind === 'paragraph' ? (
          <p key={String(index)}>{block.line.map(element)}</p>
        ) : (
          <ul key={String(index)}>
            {block.items.map((item, at) => (
              <li key={String(at)}>{item.map(element)}</li>
            ))}
          </ul>
        ),
      )}
    </>
  );
}

/** Renders one line of marked-up text without an enclosing element. */
export function MarkedLine({ text }: { text: string }) {
  return <>{markedSpans(text.replaceAll('\n', ' ')).map(element)}</>;
}

function element({ kind, text }: Span) {
  switch (kind) {
    case 'code':
      return <code class={codeClass(text)}>{text}</code>;
    case 'strong':
      return <strong>{text}</strong>;
    case 'text':
      return text;
  }
}

/** A part of a line. */
interface Span {
  readonly kind: 'text' | 'code' | 'strong';
  readonly text: string;
}

type Line = readonly Span[];

/** A paragraph, or a list of lines. */
export type Block =
  | { readonly kind: 'paragraph'; readonly line: Line }
  | { readonly kind: 'list'; readonly items: readonly Line[] };

/**
 * Parses the part of CommonMark that the API's descriptions use: paragraphs, lists with hyphens, code and strong
 * emphasis. Everything else is kept verbatim.
 */
export function markedBlocks(text: string): readonly Block[] {
  return text
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const lines = part.trim().split('\n');
      const isList = lines.every((line) => line.startsWith('- '));
      return isList
        ? { kind: 'list', items: lines.map((line) => markedSpans(line.slice(2))) }
        : { kind: 'paragraph', line: markedSpans(lines.join(' ')) };
    });
}

/** Splits a line at code and strong emphasis. */
export function markedSpans(text: string): Line {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter((part) => part !== '')
    .map((part): Span => {
      if (/^`[^`]+`$/.test(part)) return { kind: 'code', text: part.slice(1, -1) };
      if (/^\*\*[^*]+\*\*$/.test(part)) return { kind: 'strong', text: part.slice(2, -2) };
      return { kind: 'text', text: part };
    });
}
