import { markedBlocks, markedSpans, type Span } from './marked-text.ts';

/** Text with marks in it, as the elements that they stand for. */
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

/** The same for a single line, without an element around it. */
export function MarkedLine({ text }: { text: string }) {
  return <>{markedSpans(text.replaceAll('\n', ' ')).map(element)}</>;
}

function element({ kind, text }: Span) {
  switch (kind) {
    case 'code':
      return <code>{text}</code>;
    case 'strong':
      return <strong>{text}</strong>;
    case 'text':
      return text;
  }
}
