// Adds up the reports of the test runs and prints the totals last. Fails when a test was skipped.
import { readFileSync } from 'node:fs';

const reports = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));
const total = (...fields) =>
  reports.reduce((sum, report) => fields.reduce((part, field) => part + report[field], sum), 0);

const skipped = total('numPendingTests', 'numTodoTests');
if (skipped > 0) {
  console.error(`${skipped} tests were skipped; none may be here`);
  process.exitCode = 1;
}
console.log(`${total('numPassedTests')} passed, ${total('numFailedTests')} failed`);
