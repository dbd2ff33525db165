import {
  bash,
  type Grammar,
  go,
  highlighter,
  ini,
  javascript,
  json,
  php,
  python,
  ruby,
  type Scope,
} from './highlight-js.mjs';

/**
 * Languages as the fences of `docs/` name them. `http` is the beginning of a message and `text` nothing in particular:
 * both are done here.
 */
export type Language = keyof typeof grammars | 'http' | 'text';

/** What a piece of code is; design/code.css has a colour for each, under `code-<kind>`. */
export type TokenKind = 'comment' | 'string' | 'number' | 'keyword' | 'title' | 'variable';

/** A piece of code of one colour; null: that of plain code. */
export interface Token {
  readonly text: string;
  readonly kind: TokenKind | null;
}

const grammars = {
  sh: bash,
  js: javascript,
  python,
  php,
  go,
  ruby,
  json,
  toml: ini,
} satisfies Record<string, Grammar>;

for (const [name, grammar] of Object.entries(grammars)) highlighter.registerLanguage(name, grammar);

/**
 * The kinds of highlight.js's scopes (https://highlightjs.readthedocs.io/en/latest/css-classes-reference.html), by the
 * first of their words: `title` is that of `title.function`, too. Code within a string (`subst`) is plain code, and all
 * others are what is around them.
 */
const kinds: Readonly<Record<string, TokenKind | null>> = {
  comment: 'comment',
  meta: 'comment',
  string: 'string',
  regexp: 'string',
  number: 'number',
  literal: 'number',
  keyword: 'keyword',
  title: 'title',
  section: 'title',
  built_in: 'title',
  type: 'title',
  attr: 'variable',
  property: 'variable',
  symbol: 'variable',
  variable: 'variable',
  subst: null,
};

/** Code with its syntax marked: the texts of all tokens, one after the other, are the code. */
export function highlight(code: string, language: Language): readonly Token[] {
  if (language === 'text') return [{ text: code, kind: null }];
  if (language === 'http') return joined(messageTokens(code));
  // code that breaks off, or that the grammar does not know, is marked as far as it goes
  const { _emitter } = highlighter.highlight(code, { language, ignoreIllegals: true });
  return joined(tokensOf(_emitter.rootNode, null));
}

function tokensOf({ scope, children }: Scope, outer: TokenKind | null): Token[] {
  const [name = ''] = scope?.split('.') ?? [];
  const known = kinds[name];
  const kind = known === undefined ? outer : known;
  return children.flatMap((child) =>
    typeof child === 'string' ? [{ text: child, kind }] : tokensOf(child, kind),
  );
}

/** The request or status line and the headers of a message; a body is not told from them. */
function messageTokens(code: string): Token[] {
  // every second part is one that was looked for
  const parts = code.split(/^(HTTP\/\S+ \d+|[A-Z]+(?= \/)|[\w-]+(?=:))/m);
  return parts.map((text, i) => {
    if (i % 2 === 0) return { text, kind: null };
    return { text, kind: parts[i + 1]?.startsWith(':') ? 'variable' : 'keyword' };
  });
}

/** Neighbours of one kind as one token, and none without text. */
function joined(tokens: readonly Token[]): readonly Token[] {
  const all: { text: string; kind: TokenKind | null }[] = [];
  for (const { text, kind } of tokens) {
    if (text === '') continue;
    const last = all.at(-1);
    if (last?.kind === kind) last.text += text;
    else all.push({ text, kind });
  }
  return all;
}
