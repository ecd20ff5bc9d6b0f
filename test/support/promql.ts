import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** Series that a query asks for, what chooses them, and the functions around them, the innermost first. */
interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string }[];
  readonly functions: readonly string[];
}

/** What a query is made of, as far as it can go wrong. */
export interface ParsedQuery {
  /** Where it is not PromQL; none when it is. */
  readonly errors: readonly string[];
  readonly selectors: readonly Selector[];
  /** The labels of `by`, `without`, `on`, `ignoring` and `group_left`. */
  readonly clauseLabels: readonly string[];
  /** The labels that `label_replace` and `count_values` make. */
  readonly madeLabels: readonly string[];
}

/** Takes a query apart; its variables have to be substituted before. */
export function parseQuery(query: string): ParsedQuery {
  const errors: string[] = [];
  const selectors: Selector[] = [];
  const clauseLabels: string[] = [];
  const madeLabels: string[] = [];
  const textOf = ({ from, to }: SyntaxNode): string => query.slice(from, to);
  parser.parse(query).iterate({
    enter: ({ node }) => {
      if (node.type.isError) errors.push(`at ${node.from}: ${query.slice(0, node.from)}⚠`);
      if (node.name === 'VectorSelector') selectors.push(selectorOf(node, textOf));
      if (node.name === 'GroupingLabels')
        clauseLabels.push(...node.getChildren('LabelName').map(textOf));
      if (node.name === 'LabelReplace' || node.name === 'CountValues')
        madeLabels.push(firstString(node, textOf));
    },
  });
  return { errors, selectors, clauseLabels, madeLabels };
}

function selectorOf(node: SyntaxNode, textOf: (node: SyntaxNode) => string): Selector {
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  const text = (parent: SyntaxNode, name: string): string => {
    const child = parent.getChild(name);
    return child === null ? '' : textOf(child);
  };
  const functions: string[] = [];
  for (let around = node.parent; around !== null; around = around.parent)
    if (around.name === 'FunctionCall') functions.push(text(around, 'FunctionIdentifier'));
  return {
    metric: text(node, 'Identifier'),
    matchers: matchers.map((matcher) => ({ label: text(matcher, 'LabelName') })),
    functions,
  };
}

/** The first string among the arguments of the function or operator that this names. */
function firstString(name: SyntaxNode, textOf: (node: SyntaxNode) => string): string {
  const [string] =
    name.parent?.parent?.getChild('FunctionCallBody')?.getChildren('StringLiteral') ?? [];
  return string === undefined ? '' : textOf(string).slice(1, -1);
}
