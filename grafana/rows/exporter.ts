import type { Row } from '../layout.ts';
import { collectorStates, collectorTable, stationsUp } from './collectors.ts';
import { dialectTable, missingTable } from './dialects.ts';
import { requestStrips } from './requests.ts';
import { sessionTable, versionTable } from './sessions.ts';

/** How the exporter itself is doing. */
export const exporterRow: Row = {
  title: 'Exporter',
  isCollapsed: true,
  strips: [
    { height: 5, panels: [[24, sessionTable]] },
    { height: 5, panels: [[24, versionTable]] },
    ...requestStrips,
    { height: 10, panels: [[24, collectorTable]] },
    { height: 9, panels: [[24, collectorStates]] },
    {
      height: 8,
      panels: [
        [12, stationsUp],
        [12, missingTable],
      ],
    },
    { height: 8, panels: [[24, dialectTable]] },
  ],
};
