import { writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { buildDashboard } from './dashboard.ts';

// As the format check of the repository wants it.
const json = await format(JSON.stringify(buildDashboard()), { parser: 'json', printWidth: 100 });
writeFileSync('grafana/dashboards/solar.json', json);
