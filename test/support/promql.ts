import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** One label of a selector. */
interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** Series that a query asks for, and the functions that they go through, the innermost first. */
interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  readonly functions: readonly string[];
  /** Such as `5m`; empty where instants are asked for. */
  readonly range: string;
}

/** What a query is made of, as far as it can go wrong. */
export interface ParsedQuery {
  /** Where it is not PromQL; none when it is. */
  readonly errors: readonly string[];
  readonly selectors: readonly Selector[];
  /** The labels of `by`, `without`, `on`, `ignoring` and `group_left`. */
  readonly clauseLabels: readonly string[];
  /** The labels of each `by`, `without`, `on` and `ignoring`. */
  readonly groupings: readonly (readonly string[])[];
  /** The labels that `label_replace` and `count_values` make. */
  readonly madeLabels: readonly string[];
}

/** Takes a query apart; its variables have to be substituted before. */
export function parseQuery(query: string): ParsedQuery {
  const errors: string[] = [];
  const selectors: Selector[] = [];
  const clauseLabels: string[] = [];
  const groupings: (readonly string[])[] = [];
  const madeLabels: string[] = [];
  const textOf = ({ from, to }: SyntaxNode): string => query.slice(from, to);
  parser.parse(query).iterate({
    enter: ({ node }) => {
      if (node.type.isError) errors.push(`at ${node.from}: ${query.slice(0, node.from)}⚠`);
      if (node.name === 'VectorSelector') selectors.push(selectorOf(node, textOf));
      if (node.name === 'GroupingLabels') {
        const labels = node.getChildren('LabelName').map(textOf);
        clauseLabels.push(...labels);
        if (!node.prevSibling?.name.startsWith('Group')) groupings.push(labels);
      }
      if (node.name === 'LabelReplace' || node.name === 'CountValues')
        madeLabels.push(firstString(node, textOf));
    },
  });
  return { errors, selectors, clauseLabels, groupings, madeLabels };
}

function selectorOf(node: SyntaxNode, textOf: (node: SyntaxNode) => string): Selector {
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  const text = (parent: SyntaxNode, name: string): string => {
    const child = parent.getChild(name);
    return child === null ? '' : textOf(child);
  };
  const functions: string[] = [];
  let range = '';
  for (let around = node.parent; around !== null; around = around.parent) {
    if (around.name === 'FunctionCall') functions.push(text(around, 'FunctionIdentifier'));
    if (around.name === 'MatrixSelector') range = text(around, 'DurationExpr');
  }
  return {
    metric: text(node, 'Identifier'),
    matchers: matchers.map((matcher) => ({
      label: text(matcher, 'LabelName'),
      operator: text(matcher, 'MatchOp'),
      value: text(matcher, 'StringLiteral').slice(1, -1),
    })),
    functions,
    range,
  };
}

/** The first string among the arguments of the function or operator that this names. */
function firstString(name: SyntaxNode, textOf: (node: SyntaxNode) => string): string {
  const [string] =
    name.parent?.parent?.getChild('FunctionCallBody')?.getChildren('StringLiteral') ?? [];
  return string === undefined ? '' : textOf(string).slice(1, -1);
}
