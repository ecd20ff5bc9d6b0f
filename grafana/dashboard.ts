import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { annotations } from './annotations.ts';
import { layOut } from './layout.ts';
import { alarmsRow } from './rows/alarms.ts';
import { batteryRow } from './rows/battery.ts';
import { devicesRow } from './rows/devices.ts';
import { exporterRow } from './rows/exporter.ts';
import { measuredRow } from './rows/measured.ts';
import { monthsRow } from './rows/months.ts';
import { nowRow } from './rows/now.ts';
import { todayRow } from './rows/today.ts';
import { variables } from './variables.ts';

/** A dashboard in the classic form. */
// eslint-disable-next-line @typescript-eslint/no-deprecated -- The new form is not for Grafana 11 and 12.
export type ClassicDashboard = Dashboard;

/** Builds the dashboard: the same every time. */
export function buildDashboard(): ClassicDashboard {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- As above.
  const dashboard = new DashboardBuilder('Solar')
    .uid('solar-exporter')
    .description(
      'What the sun, the battery, the house and the grid do, by the metrics of solar-exporter. What is not known shows as –, never as 0.',
    )
    .tags(['solar', 'energy', 'prometheus'])
    .timezone('browser')
    .time({ from: 'now-24h', to: 'now' })
    .refresh('1m')
    .tooltip(DashboardCursorSync.Crosshair)
    .readonly()
    .variables([...variables()])
    .annotations([...annotations()])
    .build();
  // The builder says where the switches of annotations are, as no dashboard of this form does.
  for (const annotation of dashboard.annotations.list ?? []) delete annotation.placement;
  const rows = [
    nowRow,
    todayRow,
    monthsRow,
    devicesRow,
    batteryRow,
    measuredRow,
    alarmsRow,
    exporterRow,
  ];
  return { ...dashboard, panels: [...layOut(rows)] };
}
