import { format } from 'prettier';
import { stringify } from 'yaml';
import { grafanaRules } from './rules.ts';
import { readAlertRules, readInhibitRules } from './source.ts';

/** Returns the provisioning file of Grafana's own alerts, as the format check of the repository wants it. */
export function alertingFile(): Promise<string> {
  const rules = grafanaRules(readAlertRules(), readInhibitRules());
  const head =
    '# Made from prometheus/rules/solar.yml, by npm run dashboard: docs/alerts.md says when to use it.\n';
  const text = stringify(rules, { aliasDuplicateObjects: false, lineWidth: 0 });
  return format(head + text, { parser: 'yaml', singleQuote: true, printWidth: 100 });
}
