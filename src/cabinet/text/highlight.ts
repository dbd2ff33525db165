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
 * The language names used by the code fences of `docs/`. `http` is the head of an HTTP message and `text` is plain
 * text; both are handled here instead of by highlight.js.
 */
export type Language = keyof typeof grammars | 'http' | 'text';

/** The syntactic kind of a token; design/code.css has a color for each, under `code-<kind>`. */
export type TokenKind = 'comment' | 'string' | 'number' | 'keyword' | 'title' | 'variable';

/** A piece of code with one color; a `kind` of null means plain code. */
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
 * Token kinds for the scopes of highlight.js (https://highlightjs.readthedocs.io/en/latest/css-classes-reference.html),
 * keyed by the first component of a scope: `title` also covers `title.function`. Code inside a string (`subst`) is
 * plain code; all other scopes inherit the kind of the enclosing scope.
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

/** Splits code into highlighted tokens; their concatenated texts equal the code. */
export function highlight(code: string, language: Language): readonly Token[] {
  if (language === 'text') return [{ text: code, kind: null }];
  if (language === 'http') return merged(messageTokens(code));
  // Incomplete code, and code that the grammar does not know, is highlighted as far as possible.
  const { _emitter } = highlighter.highlight(code, { language, ignoreIllegals: true });
  return merged(tokensOf(_emitter.rootNode, null));
}

function tokensOf({ scope, children }: Scope, outer: TokenKind | null): Token[] {
  const [name = ''] = scope?.split('.') ?? [];
  const known = kinds[name];
  const kind = known === undefined ? outer : known;
  return children.flatMap((child) =>
    typeof child === 'string' ? [{ text: child, kind }] : tokensOf(child, kind),
  );
}

/** The request or status line and the headers of an HTTP message; a body is not distinguished from them. */
function messageTokens(code: string): Token[] {
  // Every second part is a match of the pattern.
  const parts = code.split(/^(HTTP\/\S+ \d+|[A-Z]+(?= \/)|[\w-]+(?=:))/m);
  return parts.map((text, i) => {
    if (i % 2 === 0) return { text, kind: null };
    return { text, kind: parts[i + 1]?.startsWith(':') ? 'variable' : 'keyword' };
  });
}

/** Merges adjacent tokens of the same kind, and drops empty ones. */
function merged(tokens: readonly Token[]): readonly Token[] {
  const all: { text: string; kind: TokenKind | null }[] = [];
  for (const { text, kind } of tokens) {
    if (text === '') continue;
    const last = all.at(-1);
    if (last?.kind === kind) last.text += text;
    else all.push({ text, kind });
  }
  return all;
}
