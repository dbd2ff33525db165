/** A recognized scope, such as `string`, with the text and the scopes in it. */
export interface Scope {
  readonly scope?: string;
  readonly children: readonly (string | Scope)[];
}

interface Highlighter {
  registerLanguage(name: string, grammar: Grammar): void;
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly _emitter: { readonly rootNode: Scope } };
}

/** A language definition, compiled when it is first used. */
export type Grammar = (highlighter: Highlighter) => object;

export const highlighter: Highlighter;
export const bash: Grammar;
export const go: Grammar;
export const ini: Grammar;
export const javascript: Grammar;
export const json: Grammar;
export const php: Grammar;
export const python: Grammar;
export const ruby: Grammar;
