import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  type AnnotationQuery,
  AnnotationQueryBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { STATES } from './colours.ts';
import { DATASOURCE } from './datasource.ts';
import { named } from './names.ts';
import { series } from './series.ts';

/** Below this the grid is gone; inverters measure a volt or a few on a dead line. */
const NO_GRID_VOLTS = 50;

/** Marks on every chart that show outages, faults and restarts. Grafana shows only values above 0. */
export function annotations(): readonly Builder<AnnotationQuery>[] {
  return [
    annotation('Alarms', STATES.attention, named(series('solar_device_alarm_firing')))
      .titleFormat('{{alarm}}')
      .textFormat('{{name}}')
      .tagKeys('level'),
    annotation(
      'Grid outages',
      STATES.bad,
      named(`(${series('solar_grid_voltage_volts')} < bool ${NO_GRID_VOLTS}) == 1`),
    )
      .titleFormat('No grid voltage')
      .textFormat('{{name}}'),
    annotation(
      'Silent devices',
      STATES.notice,
      named(`(${series('solar_device_reporting')} == bool 0) == 1`),
    )
      .titleFormat('No reading')
      .textFormat('{{name}}'),
  ];
}

function annotation(name: string, colour: string, expression: string): AnnotationQueryBuilder {
  return new AnnotationQueryBuilder()
    .name(name)
    .datasource(DATASOURCE)
    .enable(true)
    .hide(false)
    .iconColor(colour)
    .expr(expression)
    .step('60s')
    .useValueForTime(false);
}
