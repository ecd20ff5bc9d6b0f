import ts from 'typescript';

/** The names of the fields of every log call; what cannot be told is itself, and so is a message of parts. */
export function loggedFields(path: string, text: string): readonly string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isLogCall(node.expression)) {
      const [fields, message] = node.arguments;
      if (fields !== undefined) found.push(...fieldNames(fields, file));
      if (message !== undefined && !ts.isStringLiteralLike(message)) found.push(message.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isLogCall(callee: ts.Expression): boolean {
  return (
    ts.isPropertyAccessExpression(callee) &&
    ['debug', 'info', 'warn', 'error'].includes(callee.name.text) &&
    /(?:^|\.|#)log$/.test(callee.expression.getText())
  );
}

function fieldNames(fields: ts.Expression, file: ts.SourceFile): readonly string[] {
  if (ts.isIdentifier(fields)) {
    const value = initializerOf(fields.text, file);
    return value === undefined ? [fields.text] : fieldNames(value, file);
  }
  if (!ts.isObjectLiteralExpression(fields)) return [fields.getText()];
  return fields.properties.flatMap((property) =>
    ts.isSpreadAssignment(property)
      ? fieldNames(property.expression, file)
      : [property.name.getText()],
  );
}

function initializerOf(name: string, file: ts.SourceFile): ts.Expression | undefined {
  let found: ts.Expression | undefined;
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === name) found = node.initializer;
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
