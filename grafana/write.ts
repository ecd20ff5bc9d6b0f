import { writeFileSync } from 'node:fs';
import { dashboardFiles } from './files.ts';

for (const [path, text] of await dashboardFiles()) writeFileSync(path, text);
