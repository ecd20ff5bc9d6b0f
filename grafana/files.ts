import { format } from 'prettier';
import { buildDashboard } from './dashboard.ts';
import { importCopy } from './import-copy.ts';

/** What is written, by path from the root of the repository. */
export async function dashboardFiles(): Promise<ReadonlyMap<string, string>> {
  const dashboard = buildDashboard();
  return new Map([
    ['grafana/dashboards/solar.json', await json(dashboard)],
    ['grafana/import/solar.json', await json(importCopy(dashboard))],
  ]);
}

/** As the format check of the repository wants it. */
function json(value: object): Promise<string> {
  return format(JSON.stringify(value), { parser: 'json', printWidth: 100 });
}
