import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** One place of the program that can change: where it is, what it is, and what it becomes. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly was: string;
  /** Nothing, where it is a statement. */
  readonly becomes: string;
}

export interface Mutant extends Place {
  readonly id: number;
}

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
};
const METHODS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
]);
const LEFT_OUT = ['filter', 'sort', 'toSorted', 'reverse', 'slice', 'trim'];

function isText(node: ts.Expression): boolean {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return true;
  return ts.isBinaryExpression(node) && (isText(node.left) || isText(node.right));
}

function mutatedBinary(node: ts.BinaryExpression): string | undefined {
  const [left, operator] = [node.left.getText(), node.operatorToken.getText()];
  if (operator === '??') return left;
  if (operator === '+' && isText(node)) return undefined;
  const other = OPERATORS[operator];
  return other && `${left} ${other} ${node.right.getText()}`;
}

function mutatedCall(node: ts.CallExpression): string | undefined {
  if (!ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression: called, name, questionDotToken } = node.expression;
  if (questionDotToken !== undefined) return undefined;
  if (LEFT_OUT.includes(name.text)) return called.getText();
  const other = METHODS.get(name.text);
  const given = node.arguments.map((argument) => argument.getText()).join(', ');
  return other && `${called.getText()}.${other}(${given})`;
}

/** What code becomes; undefined where it is left alone. */
function mutated(node: ts.Node): string | undefined {
  // What a constructor begins with cannot be left out.
  if (ts.isExpressionStatement(node)) return node.getText().startsWith('super(') ? undefined : '';
  if (ts.isBinaryExpression(node)) return mutatedBinary(node);
  if (ts.isCallExpression(node)) return mutatedCall(node);
  if (ts.isConditionalExpression(node))
    return `${node.condition.getText()} ? ${node.whenFalse.getText()} : ${node.whenTrue.getText()}`;
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return node.operand.getText();
  if (node.kind === ts.SyntaxKind.TrueKeyword) return 'false';
  if (node.kind === ts.SyntaxKind.FalseKeyword) return 'true';
  if (!ts.isNumericLiteral(node)) return undefined;
  const isName = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
  return isName ? undefined : `${node.getText()} + 1`;
}

/** Every place of a file that can change. */
export function placesOf(path: string): readonly Place[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const places: Place[] = [];
  const add = (node: ts.Node, becomes: string): void => {
    const start = node.getStart();
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    places.push({ path, line, start, end: node.getEnd(), was: node.getText(), becomes });
  };
  const visit = (node: ts.Node): void => {
    const isCode = !ts.isTypeNode(node) && !ts.isImportDeclaration(node);
    if (!isCode || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    const becomes = mutated(node);
    if (becomes !== undefined) add(node, becomes);
    if (ts.isIfStatement(node)) add(node.expression, 'false');
    ts.forEachChild(node, visit);
  };
  visit(file);
  return places;
}

/** The code of a file with mutants, each of which is off until `__mutant` says that its number is on. */
export function withMutants(path: string, mutants: readonly Mutant[]): string {
  const fromTheEnd = mutants.toSorted((one, other) => other.start - one.start);
  return fromTheEnd.reduce(
    (code, { id, start, end, was, becomes }) => {
      const isOn = `globalThis.__mutant?.(${id})`;
      const changed =
        becomes === '' ? `{ if (!${isOn}) { ${was} } }` : `(${isOn} ? (${becomes}) : (${was}))`;
      return code.slice(0, start) + changed + code.slice(end);
    },
    readFileSync(path, 'utf8'),
  );
}
